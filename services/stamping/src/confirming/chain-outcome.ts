import type { AddressedReply } from '@indelible/messages';
import type { Since } from '../decisions/plan-block.ts';
import type { ConfirmedStamp } from '../decisions/report-confirmed.ts';

/** When a stamp was requested and when its block was made, in seconds since 1970. */
export type Confirmation = { readonly requestedAt: number; readonly blockTime: number };

/** The outcome of a transaction of chain facts: sent, logged and counted after the commit. */
export type ChainOutcome = {
  readonly replies: readonly AddressedReply[];
  readonly confirmed: number;
  readonly confirmations: readonly Confirmation[];
  /** Stamps now in a block, and the time since they were signed. */
  readonly included: readonly Since[];
  /** Stamps in blocks now final, and the time since they were signed. */
  readonly finalized: readonly Since[];
  /** Of the HTTP requests whose stamps are confirmed. */
  readonly requestIds: readonly string[];
  readonly traceparents: readonly string[];
  /** Trace steps that end with the commit. */
  readonly steps: readonly { end(): void }[];
  readonly reverted: number;
  /** Object logs of our own transactions without a stamp: must never happen, and must never be ignored. */
  readonly unmatched: readonly string[];
  /** Whether a block extended the position. */
  readonly followed: boolean;
  /** Messages dropped because earlier blocks are missing, or because they contradict what was read. */
  readonly dropped: number;
  /** The first missing block, as of the last message. */
  readonly missing: number | undefined;
};

export type OpenOutcome = {
  replies: AddressedReply[];
  confirmed: number;
  confirmations: Confirmation[];
  included: Since[];
  finalized: Since[];
  requestIds: string[];
  traceparents: string[];
  steps: { end(): void }[];
  reverted: number;
  unmatched: string[];
  followed: boolean;
  dropped: number;
  missing: number | undefined;
};

export const emptyOutcome = (): OpenOutcome => ({
  replies: [],
  confirmed: 0,
  confirmations: [],
  included: [],
  finalized: [],
  requestIds: [],
  traceparents: [],
  steps: [],
  reverted: 0,
  unmatched: [],
  followed: false,
  dropped: 0,
  missing: undefined,
});

/** Counts confirmed stamps, and collects their requests and traces. */
export function addConfirmed(outcome: OpenOutcome, stamps: readonly ConfirmedStamp[]): void {
  outcome.confirmed += stamps.length;
  for (const { requestedAt, receipt, requestId, traceparent } of stamps) {
    outcome.confirmations.push({ requestedAt, blockTime: receipt.blockTime });
    if (requestId !== null) outcome.requestIds.push(requestId);
    if (traceparent !== null) outcome.traceparents.push(traceparent);
  }
}

export function addOutcome(sum: OpenOutcome, next: ChainOutcome): void {
  sum.replies.push(...next.replies);
  sum.confirmed += next.confirmed;
  sum.confirmations.push(...next.confirmations);
  sum.included.push(...next.included);
  sum.finalized.push(...next.finalized);
  sum.requestIds.push(...next.requestIds);
  sum.traceparents.push(...next.traceparents);
  sum.steps.push(...next.steps);
  sum.reverted += next.reverted;
  sum.unmatched.push(...next.unmatched);
  sum.followed ||= next.followed;
  sum.dropped += next.dropped;
  if (next.followed || next.missing !== undefined) sum.missing = next.missing;
}
