import type { AddressedReply } from '@indelible/replies';

/** What a transaction of chain facts came to: to be sent, logged and counted once it is committed. */
export type ChainOutcome = {
  readonly replies: readonly AddressedReply[];
  readonly confirmed: number;
  /** Of the HTTP requests whose stamps are confirmed. */
  readonly requestIds: readonly string[];
  readonly reverted: number;
  /** Object logs of our own transactions that are no stamp of ours: never to happen, and never to be passed over. */
  readonly unmatched: readonly string[];
  /** Whether a block followed the position. */
  readonly followed: boolean;
  /** Messages dropped because blocks before them are missing, or because they contradict what was read. */
  readonly dropped: number;
  /** The first block that is missing, as of the last message. */
  readonly missing: number | undefined;
};

export type OpenOutcome = {
  replies: AddressedReply[];
  confirmed: number;
  requestIds: string[];
  reverted: number;
  unmatched: string[];
  followed: boolean;
  dropped: number;
  missing: number | undefined;
};

export const emptyOutcome = (): OpenOutcome => ({
  replies: [],
  confirmed: 0,
  requestIds: [],
  reverted: 0,
  unmatched: [],
  followed: false,
  dropped: 0,
  missing: undefined,
});

export function addOutcome(sum: OpenOutcome, next: ChainOutcome): void {
  sum.replies.push(...next.replies);
  sum.confirmed += next.confirmed;
  sum.requestIds.push(...next.requestIds);
  sum.reverted += next.reverted;
  sum.unmatched.push(...next.unmatched);
  sum.followed ||= next.followed;
  sum.dropped += next.dropped;
  if (next.followed || next.missing !== undefined) sum.missing = next.missing;
}
