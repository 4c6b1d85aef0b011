import {
  type BatchLimits,
  type BatchSize,
  emptyBatchSize,
  fitsLimits,
  type Run,
  runSize,
} from '@indelible/commitment-contract';
import type { Hex } from '@indelible/identifiers';

/** A stamp that waits for a batch, in request order. */
export type WaitingStamp = {
  readonly stampId: string;
  /** Position among the account's waiting. */
  readonly seq: number;
  readonly account: Hex;
  readonly setCid: Hex;
  readonly objectCid: Hex;
  /** Null for a stamp without a collection. */
  readonly collectionId: number | null;
  /** Whether the set is known to be on the chain; if not, the batch records it before its objects. */
  readonly setOnChain: boolean;
  /** Id of its HTTP request. */
  readonly requestId: string | null;
  /** W3C trace context of its decision. */
  readonly traceparent: string | null;
  readonly collectionName: string | null;
  /** The caller's own reference to it. */
  readonly clientRef: string | null;
  /** Number of the submission in its next batch, from 1. */
  readonly attempt: number;
  /** How often its confirmation was reverted. */
  readonly reversions: number;
  /** Waiting time, in seconds. */
  readonly waitedSeconds: number;
};

/** A collection that waits to be recorded. */
export type WaitingCollection = { readonly collectionId: number; readonly account: Hex; readonly cid: Hex };

export type ComposedBatch = {
  readonly runs: readonly Run[];
  readonly objectCids: readonly Hex[];
  /** The stamp of each object, in the order of `objectCids`. */
  readonly stamps: readonly WaitingStamp[];
  /** The collections that this batch records. */
  readonly collectionIds: readonly number[];
  readonly size: BatchSize;
};

type OpenRun = { user: Hex; setCid: Hex; newSet: boolean; collectionId: number | null; stamps: WaitingStamp[] };

/** Part of a batch reserved for collections without stamps, and their limit. */
const collectionShare = 0.25;
const mostOwnCollections = 20;

/**
 * Groups waiting items into runs of one user and set, up to the limits of a transaction. Objects of one set keep their
 * request order. A run records its set if that is not on the chain yet; the contract ignores this when another batch
 * was faster, so batches need no order.
 */
export function composeBatch(
  stamps: readonly WaitingStamp[],
  collections: readonly WaitingCollection[],
  limits: BatchLimits & { readonly items: number },
): ComposedBatch {
  const runs = new Map<string, OpenRun>();
  let size = emptyBatchSize;
  let items = 0;
  const grow = (before: BatchSize | undefined, after: BatchSize): boolean => {
    const grown: BatchSize = {
      gas: size.gas + after.gas - (before?.gas ?? 0),
      calldataBytes: size.calldataBytes + after.calldataBytes - (before?.calldataBytes ?? 0),
      transactionBytes: size.transactionBytes + after.transactionBytes - (before?.transactionBytes ?? 0),
    };
    if (items >= limits.items || !fitsLimits(grown, limits)) return false;
    size = grown;
    items++;
    return true;
  };
  const sizeOf = (run: OpenRun, count: number): BatchSize => runSize({ setCid: run.setCid, newSet: run.newSet, count });

  const record = (collection: WaitingCollection): boolean => {
    const key = collection.account + collection.cid;
    if (runs.has(key)) return true;
    const run = {
      user: collection.account,
      setCid: collection.cid,
      newSet: true,
      collectionId: collection.collectionId,
      stamps: [],
    };
    if (!grow(undefined, sizeOf(run, 0))) return false;
    runs.set(key, run);
    return true;
  };

  const own = collections.slice(0, Math.ceil(Math.min(limits.items * collectionShare, mostOwnCollections)));
  for (const collection of own) if (!record(collection)) break;
  for (const stamp of stamps) {
    const key = stamp.account + stamp.setCid;
    const open = runs.get(key);
    const run = open ?? {
      user: stamp.account,
      setCid: stamp.setCid,
      newSet: stamp.collectionId !== null && !stamp.setOnChain,
      collectionId: stamp.collectionId,
      stamps: [],
    };
    const count = run.stamps.length;
    if (!grow(open === undefined ? undefined : sizeOf(run, count), sizeOf(run, count + 1))) break;
    run.stamps.push(stamp);
    if (open === undefined) runs.set(key, run);
  }
  for (const collection of collections) if (!record(collection)) break;

  const all = [...runs.values()];
  const inOrder = all.flatMap((run) => run.stamps);
  return {
    runs: all.map((run) => ({ user: run.user, count: run.stamps.length, newSet: run.newSet, setCid: run.setCid })),
    objectCids: inOrder.map((stamp) => stamp.objectCid),
    stamps: inOrder,
    collectionIds: all.flatMap((run) => (run.newSet && run.collectionId !== null ? [run.collectionId] : [])),
    size,
  };
}

/** The most items in a batch of stamps that were in `revertedBatches` reverted ones: isolates the culprit soon. */
export const itemsAfterReverts = (maxItems: number, revertedBatches: number): number =>
  Math.max(1, Math.floor(maxItems / 16 ** revertedBatches));
