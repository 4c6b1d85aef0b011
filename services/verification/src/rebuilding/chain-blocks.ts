import { eventTopics, readContractLog } from '@indelible/commitment-contract';
import {
  type BlockHeader,
  bloomMayContain,
  createReceiptReader,
  type Head,
  type Log,
  quantityOf,
  type ReceiptPart,
  type Rpc,
  RpcUnavailableError,
  readBlock,
  readReceipt,
} from '@indelible/ethereum';
import { type Hex, zeroCid } from '@indelible/identifiers';
import type { BlockAppended, ChainLog } from '@indelible/messages';

/** A block with its commitments, as a message would tell it whole. */
export type ChainBlock = BlockAppended;

export type ChainBlocks = {
  /** The headers of consecutive numbers. @throws RpcUnavailableError when the node has not all of them */
  headers(from: number, to: number): Promise<readonly BlockHeader[]>;
  /**
   * The first of these blocks, as many as are well held at once, with every commitment that the contract logged in them.
   * @throws RpcUnavailableError rather than leave one out
   */
  withCommitments(headers: readonly BlockHeader[]): Promise<readonly ChainBlock[]>;
};

/** Providers bound the calls of one batch. */
const callsPerBatch = 50;
/** Receipts asked for side by side: each answer may be of some megabytes. */
const blocksAtOnce = 3;
/** What is held at once, but for one more group of blocks. */
const logsAtOnce = 20_000;

/**
 * Reads blocks of a chain by a node. Commitments come from the receipts of the block's hash, so that no answer can be of
 * another fork; they are counted through, where what filtered logs (eth_getLogs) leave out could not be seen.
 */
export function createChainBlocks(options: {
  readonly rpc: Rpc;
  readonly chainId: number;
  readonly contract: Hex;
  /** Of one request. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}): ChainBlocks {
  const { rpc, chainId, contract, signal } = options;
  const receiptsOf = createReceiptReader(options);
  let fillsFilters = false;

  const mayHaveLogged = ({ logsBloom, gasUsed }: Head & Pick<BlockHeader, 'gasUsed'>): boolean => {
    // Some chains leave the filters of all blocks empty.
    fillsFilters ||= BigInt(logsBloom) !== 0n;
    if (!fillsFilters) return gasUsed !== 0n;
    return (
      bloomMayContain(logsBloom, contract) &&
      [eventTopics.AddObject, eventTopics.AddSetObject].some((topic) => bloomMayContain(logsBloom, topic as Hex))
    );
  };

  const commitmentsOf = async (header: BlockHeader): Promise<readonly ChainLog[]> => {
    if (!mayHaveLogged(header)) return [];
    const collector = collectLogs(header, contract);
    for await (const part of receiptsOf(header)) collector.take(part);
    return collector.finish().flatMap(commitmentIn);
  };

  return {
    async headers(from, to) {
      const numbers = Array.from({ length: to - from + 1 }, (_, i) => from + i);
      const found: BlockHeader[] = [];
      for (let at = 0; at < numbers.length; at += callsPerBatch) {
        const calls = numbers
          .slice(at, at + callsPerBatch)
          .map((number) => ({ method: 'eth_getBlockByNumber', params: [quantityOf(number), false] }));
        for (const [i, outcome] of (await rpc.batch(calls, { signal })).entries()) {
          if (!outcome.ok) throw outcome.error;
          const header = readBlock(outcome.result);
          if (header === null || header.number !== numbers[at + i])
            throw new RpcUnavailableError(`the node has no block ${numbers[at + i]}`);
          found.push(header);
        }
      }
      return found;
    },

    async withCommitments(headers) {
      const blocks: ChainBlock[] = [];
      let found = 0;
      for (let at = 0; at < headers.length && found < logsAtOnce; at += blocksAtOnce) {
        const group = headers.slice(at, at + blocksAtOnce);
        const logs = await Promise.all(group.map(commitmentsOf));
        for (const [i, { number, hash, parentHash, timestamp: time }] of group.entries()) {
          const own = [...(logs[i] ?? [])];
          found += own.length;
          blocks.push({ chainId, number, hash, parentHash, time, part: 1, parts: 1, logs: own });
        }
      }
      return blocks;
    },
  };
}

/**
 * Collects the logs of a contract from all receipts of a block, in order. Of a transaction that could not be read, the node's
 * index is believed when it agrees with all that was read of the others.
 * @throws RpcUnavailableError when a transaction or a log is missing
 */
function collectLogs(header: BlockHeader, contract: Hex) {
  const missing = () => new RpcUnavailableError(`the node has not all receipts of block ${header.number}`);
  const own: Log[] = [];
  const indexes: (readonly Log[])[] = [];
  let place = 0;
  let logIndex = 0;
  /** How many logs an unread transaction has is not known before the next log is. */
  let countLost = false;
  const takeReceipt = (value: unknown): void => {
    const receipt = readReceipt(value);
    if (receipt.blockHash !== header.hash || receipt.transactionHash !== header.transactions[place]) throw missing();
    place += 1;
    for (const log of receipt.logs) {
      if (countLost && log.logIndex >= logIndex) logIndex = log.logIndex;
      countLost = false;
      if (log.logIndex !== logIndex || log.blockHash !== header.hash) throw missing();
      logIndex += 1;
      if (log.address === contract) own.push(log);
    }
  };
  return {
    take(part: ReceiptPart): void {
      if (part.kind === 'receipts') {
        for (const receipt of part.receipts) takeReceipt(receipt);
        return;
      }
      if (part.transactionHash !== header.transactions[place]) throw missing();
      place += 1;
      for (const log of part.indexedLogs) {
        if (log.transactionHash !== part.transactionHash) continue;
        if (log.logIndex < logIndex) throw missing();
        own.push(log);
        logIndex = log.logIndex + 1;
      }
      indexes.push(part.indexedLogs);
      countLost = true;
    },
    finish(): readonly Log[] {
      const places = own.map((log) => log.logIndex).join();
      const agree = indexes.every((logs) => logs.map((log) => log.logIndex).join() === places);
      if (place !== header.transactions.length || !agree) throw missing();
      return own;
    },
  };
}

/** A log that no reader can decode is a fact of the chain, as it is for the chain-indexer. */
function commitmentIn(log: Log): ChainLog[] {
  const event = readContractLog(log);
  if (event === undefined || event === 'undecodable') return [];
  if (event.kind !== 'AddObject' && event.kind !== 'AddSetObject') return [];
  const { transactionHash, logIndex } = log;
  const setCid = event.kind === 'AddSetObject' ? event.setCid : zeroCid;
  return [{ kind: 'object', transactionHash, logIndex, user: event.user, setCid, objectCid: event.objectCid }];
}
