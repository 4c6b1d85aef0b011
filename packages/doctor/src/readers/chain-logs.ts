import { readContractLog } from '@indelible/commitment-contract';
import { isRpcError, type Log, quantityOf, type Rpc, RpcUnavailableError, readLogs } from '@indelible/ethereum';
import { type Hex, zeroCid } from '@indelible/identifiers';
import type { Commitment } from '../decisions/compare-commitment.ts';

/** The chain, as far as it is looked at. */
export type ChainPort = { readonly rpc: Rpc; readonly chainId: number; readonly contract: Hex };

export type BlockRange = { readonly from: number; readonly to: number };

/** Providers refuse wider ranges. */
const widest = 1_000;
const narrowestFirst = 16;
/** About as many logs are asked for at once: some 8 MB as JSON. */
const wantedLogs = 10_000;

/** The commitments of some blocks in the chain's order. @throws RpcUnavailableError, RpcAnswerError */
export async function readCommitments({ rpc, contract }: ChainPort, { from, to }: BlockRange): Promise<Commitment[]> {
  const answer = await rpc.call<unknown>('eth_getLogs', [
    { fromBlock: quantityOf(from), toBlock: quantityOf(to), address: contract },
  ]);
  if (!Array.isArray(answer)) throw new RpcUnavailableError("the node's logs are malformed");
  const byBlock = Map.groupBy(answer as { blockHash?: Hex }[], (log) => log?.blockHash);
  const commitments: Commitment[] = [];
  for (const [blockHash, logs] of byBlock) {
    if (blockHash === undefined) throw new RpcUnavailableError("the node's logs are malformed");
    commitments.push(...readLogs(logs, blockHash.toLowerCase() as Hex).flatMap((log) => commitmentOf(log) ?? []));
  }
  return commitments.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex);
}

/** The commitment that a log of the contract is; undefined for other events, and for a log that no reader can decode. */
export function commitmentOf(log: Log): Commitment | undefined {
  const event = readContractLog(log);
  if (event === undefined || event === 'undecodable') return undefined;
  if (event.kind !== 'AddObject' && event.kind !== 'AddSetObject') return undefined;
  return {
    blockNumber: log.blockNumber,
    logIndex: log.logIndex,
    blockHash: log.blockHash,
    blockTime: event.timestamp,
    transactionHash: log.transactionHash,
    account: event.user,
    setCid: event.kind === 'AddSetObject' ? event.setCid : zeroCid,
    objectCid: event.objectCid,
  };
}

/**
 * Goes through blocks in ranges that hold about as many commitments as fit well in memory, however dense they are: a
 * range that the node refuses or cannot answer is halved.
 */
export async function* commitmentsByRange(
  chain: ChainPort,
  { from, to }: BlockRange,
): AsyncGenerator<{ readonly range: BlockRange; readonly commitments: readonly Commitment[] }> {
  let width = narrowestFirst;
  for (let at = from; at <= to; ) {
    const range = { from: at, to: Math.min(to, at + width - 1) };
    let commitments: readonly Commitment[];
    try {
      commitments = await readCommitments(chain, range);
    } catch (error) {
      if (!isRpcError(error) || width === 1) throw error;
      width = Math.max(1, Math.floor(width / 2));
      continue;
    }
    yield { range, commitments };
    at = range.to + 1;
    if (commitments.length > wantedLogs) width = Math.max(1, Math.floor(width / 2));
    else if (commitments.length < wantedLogs / 4) width = Math.min(widest, width * 2);
  }
}
