import type { Hex } from '@indelible/identifiers';
import { CollectionReverted, type Receipt, StampReverted } from '@indelible/messages';
import { collectionStream } from '../collection-stream.ts';
import { stampStream } from '../stamp-stream.ts';
import type { PlannedEvent } from './planned-event.ts';

/** Limits of what one transaction takes back. */
export const mostReverted = { batches: 64, stamps: 2_000, collections: 1_000 };

/** A batch in a block that left the chain. */
export type BatchToRevert = { readonly id: string; readonly stamps: number };

/** A stamp in such a block. */
export type StampToRevert = {
  readonly stampId: string;
  readonly version: number;
  readonly wasConfirmed: boolean;
  readonly formerReceipt: Receipt;
  readonly batchId: string;
  readonly requestId: string | null;
  readonly traceparent: string | null;
  readonly clientRef: string | null;
  readonly collectionName: string | null;
};

export type CollectionToRevert = {
  readonly collectionId: number;
  readonly version: number;
  readonly wasCreated: boolean;
  readonly account: Hex;
  readonly cid: Hex;
};

export type RevertPlan = {
  readonly batchIds: readonly string[];
  readonly stampIds: readonly string[];
  readonly collectionIds: readonly number[];
  /** Only what was reported before is reported as reverted. */
  readonly events: readonly PlannedEvent[];
  /** Number of stamps that were confirmed. */
  readonly confirmedStamps: number;
};

/**
 * The batches that one transaction takes back: up to a total number of stamps, but at least one batch.
 * @param newest at most {@link mostReverted}.batches of them, newest first
 * @returns with `areAll`, when no batch above the ancestor is left
 */
export function chooseBatches(newest: readonly BatchToRevert[]): {
  readonly chosen: readonly string[];
  readonly areAll: boolean;
} {
  const chosen: string[] = [];
  let stamps = 0;
  for (const batch of newest) {
    if (stamps >= mostReverted.stamps) break;
    chosen.push(batch.id);
    stamps += batch.stamps;
  }
  return { chosen, areAll: chosen.length === newest.length && newest.length < mostReverted.batches };
}

/**
 * What a reorg takes back (I4). Stamps wait again, as new versions of the same streams, so that the next confirmation
 * is a different event.
 * @param revertedAt ISO 8601
 */
export function planRevert(
  facts: {
    readonly batchIds: readonly string[];
    readonly stamps: readonly StampToRevert[];
    readonly collections: readonly CollectionToRevert[];
  },
  revertedAt: string,
): RevertPlan {
  const confirmed = facts.stamps.filter(({ wasConfirmed }) => wasConfirmed);
  return {
    batchIds: facts.batchIds,
    stampIds: facts.stamps.map(({ stampId }) => stampId),
    collectionIds: facts.collections.map(({ collectionId }) => collectionId),
    confirmedStamps: confirmed.length,
    events: [
      ...confirmed.map(({ version, traceparent, wasConfirmed: _, ...stamp }) => ({
        contract: StampReverted,
        data: { ...stamp, revertedAt } satisfies StampReverted,
        stream: stampStream(stamp.stampId),
        version: version + 1,
        ...(traceparent === null ? {} : { traceparent }),
      })),
      ...facts.collections
        .filter(({ wasCreated }) => wasCreated)
        .map(({ collectionId, version, account, cid }) => ({
          contract: CollectionReverted,
          data: { collectionId, account, cid } satisfies CollectionReverted,
          stream: collectionStream(collectionId),
          version: version + 1,
        })),
    ],
  };
}
