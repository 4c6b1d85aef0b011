import type { Hex } from '@indelible/identifiers';
import {
  type AddressedReply,
  CollectionCreated,
  CollectionCreatedV1,
  type Receipt,
  type StagedContent,
  StampConfirmed,
} from '@indelible/messages';
import { collectionStream } from '../collection-stream.ts';
import { stampStream } from '../stamp-stream.ts';
import type { PlannedEvent } from './planned-event.ts';

export type ConfirmedStamp = {
  readonly stampId: string;
  /** Of its stream, with the confirmation. */
  readonly version: number;
  readonly receipt: Receipt;
  readonly collectionName: string | null;
  /** The block that recorded the stamp's collection, if known. */
  readonly collectionBlock: number | null;
  readonly content: StagedContent | null;
  readonly replyTo: string | null;
  readonly requestId: string | null;
  /** W3C trace context of its decision. */
  readonly traceparent: string | null;
  readonly clientRef: string | null;
  readonly batchId: string;
  /** In seconds since 1970. */
  readonly requestedAt: number;
};

export type ConfirmedCollection = {
  readonly collectionId: number;
  /** Of its stream, with the creation. */
  readonly version: number;
  readonly account: Hex;
  readonly cid: Hex;
  readonly transactionHash: Hex;
  readonly blockNumber: number;
  readonly blockTime: number;
  /** Null when read by a release that did not store it. */
  readonly blockHash: Hex | null;
  /** Also null when no AddSet was seen for the collection. */
  readonly logIndex: number | null;
};

/** A request that joined another's stamp and waits for its outcome. */
export type JoinedRequest = { readonly requestId: string; readonly stampId: string; readonly replyTo: string };

export type CollectionRequest = {
  readonly requestId: string;
  readonly collectionId: number;
  readonly replyTo: string | null;
};

/** @param traceOf the context of an event in the trace of its stamp's decision */
export const eventsOfStamps = (
  stamps: readonly ConfirmedStamp[],
  traceOf: (traceparent: string) => string,
): readonly PlannedEvent[] =>
  stamps.map(({ version, traceparent, collectionBlock: _block, requestedAt: _requestedAt, ...confirmed }) => ({
    contract: StampConfirmed,
    data: confirmed satisfies StampConfirmed,
    stream: stampStream(confirmed.stampId),
    version,
    ...(confirmed.requestId === null ? {} : { requestId: confirmed.requestId }),
    ...(traceparent === null ? {} : { traceparent: traceOf(traceparent) }),
  }));

/** One reply per request: to the one that made the stamp, and those that joined it. */
export function repliesOfStamps(
  stamps: readonly ConfirmedStamp[],
  joined: readonly JoinedRequest[],
): readonly AddressedReply[] {
  const byId = new Map(stamps.map((stamp) => [stamp.stampId, stamp]));
  const confirmed = (stamp: ConfirmedStamp) => ({
    kind: 'confirmed' as const,
    stampId: stamp.stampId,
    receipt: stamp.receipt,
    collectionCreated: stamp.collectionBlock === stamp.receipt.blockNumber,
  });
  return [
    ...stamps.flatMap((stamp) => {
      const { stampId: requestId, replyTo, content } = stamp;
      if (replyTo === null) return [];
      const reply = { ...confirmed(stamp), requestId, outcome: 'created' as const, awaitsFile: content !== null };
      return [{ replyTo, reply }];
    }),
    ...joined.flatMap(({ requestId, stampId, replyTo }) => {
      const stamp = byId.get(stampId);
      if (stamp === undefined) return [];
      return [{ replyTo, reply: { ...confirmed(stamp), requestId, outcome: 'repeated' as const, awaitsFile: false } }];
    }),
  ];
}

export const eventsOfCollections = (
  collections: readonly ConfirmedCollection[],
  chainId: number,
): readonly PlannedEvent[] =>
  collections.map(({ version, blockHash, logIndex, ...created }) => {
    const place = { stream: collectionStream(created.collectionId), version };
    return blockHash === null
      ? { ...place, contract: CollectionCreatedV1, data: { ...created, chainId } satisfies CollectionCreatedV1 }
      : {
          ...place,
          contract: CollectionCreated,
          data: { ...created, chainId, blockHash, logIndex } satisfies CollectionCreated,
        };
  });

export function repliesOfCollections(
  collections: readonly ConfirmedCollection[],
  waiting: readonly CollectionRequest[],
): readonly AddressedReply[] {
  const byId = new Map(collections.map((collection) => [collection.collectionId, collection]));
  return waiting.flatMap(({ requestId, collectionId, replyTo }) => {
    const collection = byId.get(collectionId);
    if (replyTo === null || collection === undefined) return [];
    const { account, cid } = collection;
    return [{ replyTo, reply: { requestId, kind: 'collection-created' as const, collectionId, account, cid } }];
  });
}
