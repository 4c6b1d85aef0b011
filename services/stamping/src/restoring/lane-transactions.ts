import {
  getBlockByNumber,
  getNonceAtHead,
  getTransactionCount,
  quantityOf,
  type Rpc,
  RpcUnavailableError,
} from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import { RestoreRefusedError } from './restore-refused.ts';

/** A lane's transaction in a block, from the node. */
export type LaneTransaction = {
  readonly lane: Hex;
  readonly nonce: number;
  readonly hash: Hex;
  readonly gasLimit: number;
  readonly block: { readonly number: number; readonly hash: Hex };
};

export type LaneNonces = {
  readonly lane: Hex;
  readonly stored: number;
  readonly onChain: number;
  /** It was removed, and a pool has transactions of it: it may never sign again, since a grant would let these write (I2). */
  readonly closed: boolean;
};

/** Providers limit the calls of a batch, and these responses contain whole transactions. */
const blocksAtOnce = 10;

/**
 * The next nonce of each lane on the chain. Pending transactions of a lane that may no longer write revert in any
 * block, so nothing waits for them; their nonces do not count as used, since a pool may drop them.
 * @throws RestoreRefusedError while a pool has transactions of another lane: their items may be unknown
 */
export async function readLaneNonces(
  rpc: Rpc,
  lanes: ReadonlyMap<Hex, number>,
  options: { readonly mayStillWrite: (lane: Hex) => Promise<boolean>; readonly note: (text: string) => void },
): Promise<{ readonly nonces: readonly LaneNonces[]; readonly head: number }> {
  const nonces: LaneNonces[] = [];
  let head = 0;
  for (const [lane, stored] of lanes) {
    const place = await getNonceAtHead(rpc, lane);
    const pending = await getTransactionCount(rpc, lane, 'pending');
    const closed = pending > place.nonce;
    if (closed) {
      const waiting = `${pending - place.nonce} transactions of lane ${lane} wait for a block`;
      if (await options.mayStillWrite(lane))
        throw new RestoreRefusedError(
          `${waiting}: run the command again when they are in one, or when the operator has removed the lane and that is final`,
        );
      options.note(`${waiting}, and write nothing, since the lane was removed: it is closed now, never grant it again`);
    }
    head = Math.max(head, place.head.number);
    nonces.push({ lane, stored, onChain: place.nonce, closed });
  }
  return { nonces, head };
}

/** The last block not newer than the time; the first without a time. */
export async function blockBefore(rpc: Rpc, time: Date | undefined, head: number): Promise<number> {
  if (time === undefined) return 1;
  const seconds = time.getTime() / 1_000;
  let [low, high] = [1, Math.max(1, head)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const header = await getBlockByNumber(rpc, middle);
    if (header === null) throw new RpcUnavailableError(`the node lacks block ${middle}`);
    if (header.timestamp <= seconds) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * All transactions of the lanes in these blocks, in chain order. Blocks are read whole, since an index of logs may lack
 * some.
 * @throws RestoreRefusedError when none of them uses a nonce that the database does not know
 */
export async function readLaneTransactions(
  rpc: Rpc,
  {
    nonces,
    from,
    to,
    onProgress,
  }: {
    readonly nonces: readonly LaneNonces[];
    readonly from: number;
    readonly to: number;
    readonly onProgress: (block: number) => void;
  },
): Promise<readonly LaneTransaction[]> {
  const lanes = new Set(nonces.map(({ lane }) => lane));
  const found: LaneTransaction[] = [];
  for (let number = from; number <= to; number += blocksAtOnce) {
    const numbers = Array.from({ length: Math.min(blocksAtOnce, to - number + 1) }, (_, i) => number + i);
    const blocks = await rpc.batch(
      numbers.map((one) => ({ method: 'eth_getBlockByNumber', params: [quantityOf(one), true] })),
    );
    for (const answer of blocks) {
      if (!answer.ok) throw answer.error;
      found.push(...lanesOf(answer.result, lanes));
    }
    onProgress(numbers.at(-1) ?? number);
  }
  for (const { lane, stored, onChain } of nonces) {
    const seen = new Set(found.flatMap((one) => (one.lane === lane ? [one.nonce] : [])));
    const missing = Array.from({ length: Math.max(0, onChain - stored) }, (_, i) => stored + i).find(
      (nonce) => !seen.has(nonce),
    );
    if (missing !== undefined)
      throw new RestoreRefusedError(
        `nonce ${missing} of lane ${lane} is used on the chain, and in none of the blocks from ${from} to ${to}: give an earlier one with --from-block`,
      );
  }
  return found;
}

type RawTransaction = { readonly from: string; readonly nonce: string; readonly hash: Hex; readonly gas: string };
type RawBlock = { readonly number: string; readonly hash: Hex; readonly transactions: readonly RawTransaction[] };

function lanesOf(answer: unknown, lanes: ReadonlySet<Hex>): readonly LaneTransaction[] {
  const block = answer as RawBlock | null;
  if (block === null || !Array.isArray(block.transactions)) throw new RpcUnavailableError('the node lacks a block');
  return block.transactions.flatMap(({ from, nonce, hash, gas }) => {
    const lane = from.toLowerCase() as Hex;
    if (!lanes.has(lane)) return [];
    const place = { number: Number(block.number), hash: block.hash };
    return [{ lane, nonce: Number(nonce), hash, gasLimit: Number(gas), block: place }];
  });
}
