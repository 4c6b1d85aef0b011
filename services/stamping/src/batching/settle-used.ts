import {
  type BlockPlace,
  ethCall,
  fieldsOfSigned,
  getBlockByHash,
  getTransactionReceipt,
  holdsBlocks,
  isRpcError,
  type Rpc,
  type TransactionReceipt,
} from '@indelible/ethereum';
import { type Hex, hexOfBytes } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import type { Logger } from '@indelible/service-runtime';
import type { SettledReceipt } from './settled-receipt.ts';
import { loadVersions, noteNonceUsed, readFinality, type UnincludedTransaction } from './unincluded.ts';

export type SettleUsed = (
  transaction: UnincludedTransaction,
  place: { readonly lane: Hex; readonly head: BlockPlace },
  signal: AbortSignal,
) => Promise<void>;

/**
 * Decides about a batch in no block whose nonce is used: by one of its own transactions, according to a receipt, or by
 * another. That it reverted or lost its nonce counts only when the block is final and on the chain whose facts were
 * read: until then a reorg could bring it back (I2). Needs no state of old blocks.
 */
export function createNonceSettling(options: {
  readonly database: Database;
  readonly rpc: Rpc;
  readonly chainId: number;
  readonly logger: Logger;
  /** Whether the operator's grant of the lane holds now. */
  readonly isGranted: (lane: Hex) => Promise<boolean>;
  readonly settle: (batchId: string, receipt: SettledReceipt) => Promise<void>;
  /** Whether the chain has the batch's grant; false for other batches. */
  readonly hasGrant: (batchId: string) => Promise<boolean>;
  /**
   * The nonce was used elsewhere, as of this final block. Returns how many stamps wait again; undefined if not given
   * up.
   */
  readonly supersede: (batchId: string, finalBlock: number) => Promise<number | undefined>;
}): SettleUsed {
  const { database, rpc, logger } = options;

  return async (transaction, { lane, head }, signal) => {
    const { batchId, nonce, nonceUsed } = transaction;
    const known = await readFinality(database, options.chainId);
    const finalized = known?.finalized ?? 0;
    /** A node's block is on our chain when the node also has the newest block whose facts were read. */
    const isOurs = async (...blocks: readonly BlockPlace[]): Promise<boolean> => {
      if (known !== undefined && (await holdsBlocks(rpc, [known.read, ...blocks], { signal }))) return true;
      logger.warn(
        { batchId, lane, nonce, blocks },
        'Node is on another chain than the one that was read, or behind it',
      );
      return false;
    };

    const receipt = await findReceipt(transaction, signal);
    if (receipt !== undefined) {
      const header = await getBlockByHash(rpc, receipt.blockHash, { signal });
      // The node dropped the block meanwhile: the next round looks again.
      if (header === null) return;
      const blockTime = header.timestamp;
      const block = { number: receipt.blockNumber, hash: receipt.blockHash };
      if (receipt.status === 'success') {
        if (await isOurs(block))
          await options.settle(batchId, { ...receipt, blockTime, repeats: false, granted: false });
        return;
      }
      if (finalized < block.number || !(await isOurs(block))) return noteNonceUsed(database, batchId, block);
      const repeats = await stillReverts(transaction, lane, signal);
      const granted = repeats && (await options.hasGrant(batchId));
      return options.settle(batchId, { ...receipt, blockTime, repeats, granted });
    }
    if (nonceUsed !== null && finalized < nonceUsed.number) return undefined;
    // A node that lacks the blocks we read knows nothing of the nonce's block: recording another would delay its
    // finality.
    if (!(await isOurs())) return undefined;
    if (nonceUsed === null || !(await holdsBlocks(rpc, [nonceUsed], { signal }))) {
      logger.warn({ batchId, lane, nonce }, 'Nonce of a stored transaction is used, without a receipt of it');
      return noteNonceUsed(database, batchId, head);
    }
    const stamps = await options.supersede(batchId, nonceUsed.number);
    if (stamps !== undefined)
      logger.error(
        { batchId, lane, nonce, finalBlock: nonceUsed.number, stamps },
        'Nonce used by another transaction; the items of its batch wait again',
      );
  };

  /** Receipt of the version that carries the items, if in a block. */
  async function findReceipt({ batchId }: UnincludedTransaction, signal: AbortSignal) {
    for (const { hash, isEmpty } of await loadVersions(database, batchId)) {
      if (isEmpty) continue;
      const receipt: TransactionReceipt | null = await getTransactionReceipt(rpc, hash, { signal });
      if (receipt !== null) return receipt;
    }
    return undefined;
  }

  /**
   * Whether the contract still refuses the same call, whatever its gas: then the items are invalid. Not so for a lane
   * whose grant was revoked: another lane can record them.
   */
  async function stillReverts({ raw, isEmpty }: UnincludedTransaction, lane: Hex, signal: AbortSignal) {
    if (raw === '0x' || isEmpty) return false;
    const { to, data } = fieldsOfSigned(raw);
    if (to === null) return false;
    try {
      await ethCall(rpc, { from: lane, to, data: typeof data === 'string' ? data : hexOfBytes(data) }, 'latest', {
        signal,
      });
      return false;
    } catch (error) {
      if (isRpcError(error) && error.meaning.kind === 'reverted') return options.isGranted(lane);
      throw error;
    }
  }
}
