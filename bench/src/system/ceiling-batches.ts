import {
  addBatchSizes,
  emptyBatchSize,
  encodeCommitBatch,
  runSize,
  transactionLimits,
} from '@indelible/commitment-contract';
import {
  batchGasCap,
  createRpc,
  estimateFees,
  followHead,
  getBlockByNumber,
  getTransactionCount,
  type Head,
  profileOf,
  sendRawTransaction,
  signTransactionWithFees,
} from '@indelible/ethereum';
import { bytesOfHex, checksumAddress, type Hex, receiptTime, zeroCid } from '@indelible/identifiers';
import type { Stranger } from '../load/ethers.ts';

/** Stamping's own defaults. */
const [lingerMs, maxItems, maxInFlight] = [15, 3_000, 16];

/** A CID that waits for its receipt, which has the form of the service's. */
export type WaitingCid = { readonly cid: Hex; readonly onReceipt: (receipt: object) => void };

type RawReceipt = { readonly status: Hex; readonly logs: readonly unknown[] };

const sizeOf = (count: number) => addBatchSizes(emptyBatchSize, runSize({ setCid: zeroCid, newSet: false, count }));

/** The most CIDs that fit in a transaction. */
function mostItems(gasCap: number): number {
  const gas = Math.min(gasCap, transactionLimits.gas) - sizeOf(0).gas;
  const bytes = transactionLimits.transactionBytes - sizeOf(0).transactionBytes;
  const one = { gas: sizeOf(1).gas - sizeOf(0).gas, bytes: sizeOf(1).transactionBytes - sizeOf(0).transactionBytes };
  return Math.min(maxItems, Math.floor(gas / one.gas), Math.floor(bytes / one.bytes));
}

/** Gathers CIDs in memory and closes batches as stamping does. A fault of the chain is not caught: it ends the process. */
export async function createCeilingBatches(stranger: Stranger): Promise<{ add(waiting: WaitingCid): void }> {
  const { rpcUrl, chainId, contract, user } = stranger.chain;
  const privateKey = bytesOfHex(stranger.privateKey);
  const rpc = createRpc({ urls: [rpcUrl], timeoutMs: 10_000, chainId });
  const head = await getBlockByNumber(rpc, 'latest');
  const most = mostItems(batchGasCap(profileOf(chainId), head?.gasLimit ?? 0n));
  let fees = await estimateFees(rpc);
  let nonce = await getTransactionCount(rpc, user, 'latest');
  const waiting: WaitingCid[] = [];
  const inFlight = new Map<Hex, readonly WaitingCid[]>();
  let isLingering = false;
  let nextBlock = (head?.number ?? 0) + 1;
  let settled = Promise.resolve();

  const closeBatch = (): void => {
    isLingering = false;
    if (waiting.length === 0 || inFlight.size >= maxInFlight) return;
    const items = waiting.splice(0, most);
    const run = { user, count: items.length, newSet: false, setCid: zeroCid };
    const objects = items.map(({ cid }) => cid);
    const data = encodeCommitBatch([run], objects);
    const fields = { chainId, nonce, to: contract, data, gasLimit: sizeOf(items.length).gas };
    const signed = signTransactionWithFees(fields, fees, privateKey);
    nonce++;
    inFlight.set(signed.hash, items);
    void sendRawTransaction(rpc, signed.rawTransaction).then(linger);
  };
  /** Like a lane: the more batches wait for a block, the longer one fills. */
  const linger = (): void => {
    if (isLingering) return;
    isLingering = true;
    setTimeout(closeBatch, lingerMs * (1 + inFlight.size / 4));
  };

  const settleBatch = async (hash: Hex, timestamp: string): Promise<void> => {
    const items = inFlight.get(hash);
    if (items === undefined) return;
    const receipt = await rpc.call<RawReceipt>('eth_getTransactionReceipt', [hash]);
    if (receipt.status !== '0x1' || receipt.logs.length !== items.length) throw new Error(`${hash} failed`);
    inFlight.delete(hash);
    const common = { transaction_hash: hash, user_address: checksumAddress(user), set_cid: zeroCid };
    for (const { cid, onReceipt } of items) onReceipt({ ...common, object_cid: cid, timestamp, chain_id: chainId });
  };
  const settleBlocks = async ({ number }: Head): Promise<void> => {
    for (; nextBlock <= number; nextBlock++) {
      const block = await getBlockByNumber(rpc, nextBlock);
      if (block === null) break;
      for (const hash of block.transactions) await settleBatch(hash, receiptTime(block.timestamp));
    }
    if (inFlight.size === 0) fees = await estimateFees(rpc);
    if (waiting.length > 0) linger();
  };
  const onHead = (newest: Head): void => {
    settled = settled.then(() => settleBlocks(newest));
  };
  followHead({ rpc, urls: [rpcUrl], pollIntervalMs: 1_000, signal: new AbortController().signal, onHead });

  return {
    add(one) {
      waiting.push(one);
      linger();
    },
  };
}
