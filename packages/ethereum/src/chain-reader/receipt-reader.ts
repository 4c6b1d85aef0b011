import type { Hex } from '@indelible/identifiers';
import { getBlockByHash } from '../reads/blocks.ts';
import { getLogsByBlockHash, type Log } from '../reads/logs.ts';
import { RpcAnswerError, RpcUnavailableError } from '../rpc/errors.ts';
import type { Rpc, RpcCall, RpcLogger } from '../rpc/port.ts';

/** A part of a block's receipts, in their order. */
export type ReceiptPart =
  /** Unchecked, from the node. `all` of the block in one response, or some. */
  | { readonly kind: 'all' | 'some'; readonly receipts: readonly unknown[] }
  /**
   * One receipt too large for any response. Instead, the contract's logs of the whole block from the node's index: the
   * caller compares them with its receipts.
   */
  | { readonly kind: 'unreadable'; readonly transactionHash: Hex; readonly indexedLogs: readonly Log[] };

/** Providers limit the calls per batch. */
const callsPerBatch = 50;
/** JSON-RPC's code for a method that the node does not have. */
const methodNotFound = -32601;
/** After a block that could not be read whole, so many others are read in parts at once. */
const partsAfterFault = 50;
/** A block's index counts as filled this many blocks later. */
const indexedAfter = 3;
/** Timeout for all receipts of a block, in units of `timeoutMs`. */
const patience = 2;

type Block = { readonly hash: Hex; readonly number: number };

export type ReceiptReader = {
  /** All receipts of the block. */
  read(block: Block): AsyncGenerator<ReceiptPart>;
  /** The same by transaction, for a block whose single response lacks some; the next blocks too. */
  readInParts(block: Block & { readonly transactions: readonly Hex[] }): AsyncGenerator<ReceiptPart>;
};

/**
 * Reads the receipts of blocks of any size: on some chains a huge block costs its author only dollars, and must not
 * stop its readers. Reads all at once if one response holds them; otherwise in batches of transactions, halved, down to
 * one, while too large or too slow. Memory is bounded by the client's `maxResponseBytes`.
 * @throws each RpcUnavailableError, RpcAnswerError
 */
export function createReceiptReader(options: {
  readonly rpc: Rpc;
  /** Lower-case. */
  readonly contract: Hex;
  /** Of one request. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly logger?: RpcLogger;
}): ReceiptReader {
  const { rpc, contract, signal, logger } = options;
  let hasBlockReceipts = true;
  let partsLeft = 0;

  /** Undefined when they have to be read in parts. */
  const allAtOnce = async ({ hash, number }: Block): Promise<readonly unknown[] | undefined> => {
    if (!hasBlockReceipts) return undefined;
    if (partsLeft > 0) {
      partsLeft -= 1;
      return undefined;
    }
    const enough = AbortSignal.timeout(patience * options.timeoutMs);
    let receipts: unknown;
    try {
      receipts = await rpc.call('eth_getBlockReceipts', [hash], { signal: AbortSignal.any([signal, enough]) });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof RpcAnswerError && error.code === methodNotFound) {
        hasBlockReceipts = false;
        logger?.warn({ fault: error.message }, 'The node has no eth_getBlockReceipts: receipts are read one by one');
        return undefined;
      }
      if (!enough.aborted && !mayBeItsSize(error)) throw error;
      partsLeft = partsAfterFault;
      const fault = error instanceof Error ? error.message : undefined;
      logger?.warn({ block: number, fault }, 'The receipts of a block could not be read at once: reading in parts');
      return undefined;
    }
    if (!Array.isArray(receipts)) throw new RpcUnavailableError(`the node has no receipts of block ${number}`);
    return receipts;
  };

  /** Indexes of logs are filled later than the chain. */
  const indexedLogsOf = async ({ hash, number }: Block): Promise<readonly Log[]> => {
    const head = Number(await rpc.call<Hex>('eth_blockNumber', [], { signal }));
    if (head < number + indexedAfter)
      throw new RpcUnavailableError(
        `block ${number} has a receipt that no answer can hold: the index is read ${indexedAfter} blocks later`,
      );
    return getLogsByBlockHash(rpc, hash, contract, { signal });
  };

  const part = async (hashes: readonly Hex[], block: Block): Promise<readonly ReceiptPart[]> => {
    const calls: readonly RpcCall[] = hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] }));
    try {
      const receipts: unknown[] = [];
      for (const outcome of await rpc.batch(calls, { signal })) {
        if (!outcome.ok) throw outcome.error;
        receipts.push(outcome.result);
      }
      return [{ kind: 'some', receipts }];
    } catch (error) {
      signal.throwIfAborted();
      if (!mayBeItsSize(error)) throw error;
      const [transactionHash] = hashes;
      if (hashes.length === 1 && transactionHash !== undefined) {
        if (!isTooLong(error)) throw error;
        return [{ kind: 'unreadable', transactionHash, indexedLogs: await indexedLogsOf(block) }];
      }
      const middle = hashes.length >> 1;
      const first = await part(hashes.slice(0, middle), block);
      return [...first, ...(await part(hashes.slice(middle), block))];
    }
  };

  async function* parts(block: Block, transactions: readonly Hex[]): AsyncGenerator<ReceiptPart> {
    for (let at = 0; at < transactions.length; at += callsPerBatch)
      yield* await part(transactions.slice(at, at + callsPerBatch), block);
  }

  return {
    async *read(block) {
      const receipts = await allAtOnce(block);
      if (receipts !== undefined) return yield { kind: 'all', receipts };
      const header = await getBlockByHash(rpc, block.hash, { signal });
      if (header === null) throw new RpcUnavailableError(`the node has no block ${block.number}`);
      yield* parts(block, header.transactions);
    },

    readInParts(block) {
      partsLeft = partsAfterFault;
      logger?.warn(
        { block: block.number },
        'The receipts of a block are not those of its transactions: reading in parts',
      );
      return parts(block, block.transactions);
    },
  };
}

/** Over this client's limit, or over the node's by its message. Nothing else makes a receipt unreadable. */
const isTooLong = (error: unknown): boolean =>
  (error instanceof RpcUnavailableError && error.fault === 'too-long') ||
  (error instanceof RpcAnswerError && /too (large|big|long)|response size|size (limit|exceed)/i.test(error.message));

/** Time-outs, over-long responses, and permanent refusals, whose wording varies by provider. */
const mayBeItsSize = (error: unknown): boolean =>
  (error instanceof RpcUnavailableError && (error.fault === 'no-answer' || error.fault === 'too-long')) ||
  (error instanceof RpcAnswerError && (error.meaning.kind === 'permanent' || error.meaning.kind === 'node-fault'));
