import { eventTopics, readContractLog } from '@indelible/commitment-contract';
import {
  type BlockPlace,
  type ChainReader,
  createChainReader,
  isRpcError,
  type Log,
  type PlacedLog,
  quantityOf,
  type Rpc,
  RpcAnswerError,
  RpcUnavailableError,
  readLogs,
} from '@indelible/ethereum';
import { type Hex, zeroCid } from '@indelible/identifiers';
import { byPlace, type Commitment } from '../decisions/compare-commitment.ts';

/** A commitment as its log has it. */
type LoggedCommitment = Omit<Commitment, 'blockNumber' | 'blockHash'>;

/** The parts of the chain that are read. */
export type ChainPort = {
  readonly rpc: Rpc;
  readonly chainId: number;
  readonly contract: Hex;
  readonly reader: ChainReader<LoggedCommitment>;
  readonly signal: AbortSignal;
};

export type BlockRange = { readonly from: number; readonly to: number };

/** Blocks. Providers refuse wider ranges. */
const widest = 1_000;
const narrowestFirst = 16;
/** About as many logs are requested at once: some 8 MB as JSON. */
const wantedLogs = 10_000;

export const createChainPort = (options: {
  readonly rpc: Rpc;
  readonly chainId: number;
  /** Lower-case. */
  readonly contract: Hex;
  /** Of one request. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}): ChainPort => ({
  rpc: options.rpc,
  chainId: options.chainId,
  contract: options.contract,
  signal: options.signal,
  reader: createChainReader({ ...options, topics: commitmentTopics, decode: commitmentIn }),
});

const commitmentTopics = [eventTopics.AddObject, eventTopics.AddSetObject] as readonly Hex[];

function commitmentIn(log: PlacedLog): LoggedCommitment | 'undecodable' | undefined {
  const event = readContractLog(log);
  if (event === 'undecodable') return event;
  if (event?.kind !== 'AddObject' && event?.kind !== 'AddSetObject') return undefined;
  return {
    logIndex: log.logIndex,
    blockTime: event.timestamp,
    transactionHash: log.transactionHash,
    account: event.user,
    setCid: event.kind === 'AddSetObject' ? event.setCid : zeroCid,
    objectCid: event.objectCid,
  };
}

const placedIn =
  ({ number: blockNumber, hash: blockHash }: BlockPlace) =>
  (log: LoggedCommitment): Commitment => ({ ...log, blockNumber, blockHash });

/**
 * The commitments of a block from all its checked receipts; none if the chain has no such block. @throws
 * RpcUnavailableError, RpcAnswerError
 */
export async function readCommitments({ reader }: ChainPort, number: number): Promise<Commitment[]> {
  const [block] = await reader.withLogs(await reader.headers([number]));
  return block === undefined ? [] : block.logs.map(placedIn(block.header));
}

/** The commitments of a transaction; undefined when no block of the chain holds it. @throws RpcUnavailableError, RpcAnswerError */
export async function commitmentsOfTransaction({ reader }: ChainPort, hash: Hex) {
  const found = await reader.ofTransaction(hash);
  if (found === undefined) return undefined;
  const { receipt, logs } = found;
  const placed = logs.map(placedIn({ number: receipt.blockNumber, hash: receipt.blockHash }));
  return { blockHash: receipt.blockHash, succeeded: receipt.status === 'success', commitments: placed };
}

/** By the node's index, in the chain's order: what the index leaves out cannot be detected. */
async function readIndexed({ rpc, contract, signal }: ChainPort, { from, to }: BlockRange): Promise<Commitment[]> {
  const filter = { fromBlock: quantityOf(from), toBlock: quantityOf(to), address: contract };
  const answer = await rpc.call<unknown>('eth_getLogs', [filter], { signal });
  if (!Array.isArray(answer)) throw malformed();
  const commitments: Commitment[] = [];
  for (const [hash, logs] of Map.groupBy<unknown, unknown>(answer, blockHashOf)) {
    if (typeof hash !== 'string') throw malformed();
    commitments.push(...readLogs(logs, hash.toLowerCase() as Hex).flatMap(indexedCommitment));
  }
  return commitments.sort(byPlace);
}

const malformed = (): RpcUnavailableError => new RpcUnavailableError("the node's logs are malformed");
const blockHashOf = (log: unknown): unknown => (log as { readonly blockHash?: unknown } | null)?.blockHash;

/** Empty for other events, and for a log that no reader can decode. */
function indexedCommitment(log: Log): readonly Commitment[] {
  const read = commitmentIn(log);
  if (read === undefined || read === 'undecodable') return [];
  return [placedIn({ number: log.blockNumber, hash: log.blockHash })(read)];
}

/** Refused, or too long for this client: a single block's receipts can still be read in parts. */
const isTooMuch = (error: unknown): boolean =>
  error instanceof RpcAnswerError || (error instanceof RpcUnavailableError && error.fault === 'too-long');

/**
 * Reads blocks in ranges sized so that their commitments fit in memory, however dense they are: a range that the node
 * refuses or cannot answer is halved. Costs one request per range, since it reads the node's index: it shows what may
 * differ; `readCommitments` proves it.
 * @throws RpcUnavailableError, RpcAnswerError
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
      commitments = await readIndexed(chain, range);
    } catch (error) {
      const isSingle = range.from === range.to;
      if (!isRpcError(error) || (isSingle && !isTooMuch(error))) throw error;
      if (!isSingle) {
        width = Math.floor((range.to - range.from + 1) / 2);
        continue;
      }
      commitments = await readCommitments(chain, at);
    }
    yield { range, commitments };
    at = range.to + 1;
    if (commitments.length > wantedLogs) width = Math.max(1, Math.floor(width / 2));
    else if (commitments.length < wantedLogs / 4) width = Math.min(widest, width * 2);
  }
}
