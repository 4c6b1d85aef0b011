import type { Hex } from '@indelible/identifiers';
import { type AddressedReply, type Refusal, StampFailed } from '@indelible/messages';
import { stampStream } from '../stamp-stream.ts';
import type { PlannedEvent } from './planned-event.ts';
import type { JoinedRequest } from './report-confirmed.ts';

export type FailedStamp = {
  readonly stampId: string;
  /** Of its stream, with the failure. */
  readonly version: number;
  readonly replyTo: string | null;
  readonly requestId: string | null;
  /** W3C trace context of its decision. */
  readonly traceparent: string | null;
  readonly clientRef: string | null;
  readonly account: Hex;
  readonly setCid: Hex;
  readonly objectCid: Hex;
  readonly collectionName: string | null;
};

/** @param failedAt ISO 8601 */
export const eventsOfFailed = (
  stamps: readonly FailedStamp[],
  refusal: Refusal,
  failedAt: string,
): readonly PlannedEvent[] =>
  stamps.map(({ version, traceparent, replyTo: _, ...stamp }) => ({
    contract: StampFailed,
    data: { ...stamp, refusal, failedAt } satisfies StampFailed,
    stream: stampStream(stamp.stampId),
    version,
    ...(traceparent === null ? {} : { traceparent }),
  }));

/** One reply per request: to the one that made the stamp, and those that joined it. */
export const repliesOfFailed = (
  stamps: readonly FailedStamp[],
  joined: readonly JoinedRequest[],
  refusal: Refusal,
): readonly AddressedReply[] =>
  [
    ...stamps.map(({ stampId, replyTo }) => ({ requestId: stampId, replyTo })),
    ...joined.map(({ requestId, replyTo }) => ({ requestId, replyTo })),
  ].flatMap(({ requestId, replyTo }) =>
    replyTo === null ? [] : [{ replyTo, reply: { requestId, kind: 'refused' as const, refusal } }],
  );
