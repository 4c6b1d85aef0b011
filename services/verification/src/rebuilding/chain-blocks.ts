import { decodeContractLog, eventTopics } from '@indelible/commitment-contract';
import {
  type BlockHeader,
  bloomMayContain,
  getBlockReceipts,
  getTransactionReceipt,
  type Head,
  type Log,
  quantityOf,
  type Rpc,
  RpcAnswerError,
  RpcUnavailableError,
  readBlock,
  type TransactionReceipt,
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
const receiptsAtOnce = 20;
/** What is held at once, but for one more group of blocks. */
const logsAtOnce = 20_000;
/** JSON-RPC's code for a method that the node does not have. */
const methodNotFound = -32601;

/**
 * Reads blocks of a chain by a node. Commitments come from the receipts of the block's hash, so that no answer can be of
 * another fork; they are counted through, where what filtered logs (eth_getLogs) leave out could not be seen.
 */
export function createChainBlocks(options: {
  readonly rpc: Rpc;
  readonly chainId: number;
  readonly contract: Hex;
  readonly signal: AbortSignal;
}): ChainBlocks {
  const { rpc, chainId, contract, signal } = options;
  let onlySingly = false;

  const mayHaveLogged = ({ logsBloom }: Head): boolean =>
    bloomMayContain(logsBloom, contract) &&
    [eventTopics.AddObject, eventTopics.AddSetObject].some((topic) => bloomMayContain(logsBloom, topic as Hex));

  const receiptsOf = async (header: BlockHeader): Promise<readonly (TransactionReceipt | null)[]> => {
    if (!onlySingly)
      try {
        return (await getBlockReceipts(rpc, header.hash, { signal })) ?? [];
      } catch (error) {
        if (!(error instanceof RpcAnswerError) || error.code !== methodNotFound) throw error;
        onlySingly = true;
      }
    return inGroups(header.transactions, receiptsAtOnce, (hash) => getTransactionReceipt(rpc, hash, { signal }));
  };

  const commitmentsOf = async (header: BlockHeader): Promise<readonly ChainLog[]> =>
    mayHaveLogged(header)
      ? allLogs(header, await receiptsOf(header))
          .filter((log) => log.address === contract)
          .flatMap(commitmentIn)
      : [];

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

/** Some at a time; the results in the order of the items. */
async function inGroups<Item, Result>(
  items: readonly Item[],
  size: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += size)
    results.push(...(await Promise.all(items.slice(at, at + size).map(work))));
  return results;
}

/** Every log of the block, in order. @throws RpcUnavailableError when a transaction or a log is missing */
function allLogs(header: BlockHeader, receipts: readonly (TransactionReceipt | null)[]): readonly Log[] {
  const logs = receipts.flatMap((receipt) => receipt?.logs ?? []);
  const whole =
    receipts.length === header.transactions.length &&
    receipts.every(
      (receipt, i) => receipt?.blockHash === header.hash && receipt.transactionHash === header.transactions[i],
    );
  if (!whole || logs.some((log, i) => log.logIndex !== i || log.blockHash !== header.hash))
    throw new RpcUnavailableError(`the node has not all receipts of block ${header.number}`);
  return logs;
}

/** @throws MalformedAnswerError when a log of a known kind has another shape */
function commitmentIn(log: Log): ChainLog[] {
  const event = decodeContractLog(log);
  if (event?.kind !== 'AddObject' && event?.kind !== 'AddSetObject') return [];
  const { transactionHash, logIndex } = log;
  const setCid = event.kind === 'AddSetObject' ? event.setCid : zeroCid;
  return [{ kind: 'object', transactionHash, logIndex, user: event.user, setCid, objectCid: event.objectCid }];
}
