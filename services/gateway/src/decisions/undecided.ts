import { timeOfId } from '@indelible/identifiers';

/**
 * Replicas' clocks differ by less, and a command is published sooner after its id is made, or its wait for another
 * request ends.
 */
const marginMs = 30_000;
/** An id without a time is of a key; the client gets it only so long after its command was published. */
const namedAfterMs = 5_000;
/** Commands are kept for two weeks. */
const longestMs = 14 * 86_400_000;

/**
 * Whether an id unknown to stamping may belong to a request that is not decided yet: one that was accepted, and has a
 * status resource (I6). Invented ids count as undecided while the times in them are plausible.
 * @param facts.handledUntil everything published before it is decided; undefined when unknown
 * @param facts.waitLimitMs how long a request may wait before it is published
 */
export function mayBeUndecided(
  id: string,
  facts: { readonly now: number; readonly handledUntil: number | undefined; readonly waitLimitMs: number },
): boolean {
  const { now, handledUntil = Number.NEGATIVE_INFINITY, waitLimitMs } = facts;
  const madeAt = timeOfId(id);
  if (madeAt === undefined) return isOfKey(id) && now - namedAfterMs > handledUntil;
  const publishedBy = madeAt + waitLimitMs + marginMs;
  return madeAt < now + marginMs && publishedBy > Math.max(handledUntil, now - longestMs);
}

/** A UUID of version 8 (idempotency-key.ts). */
const isOfKey = (id: string): boolean => /^[0-9a-f]{8}-[0-9a-f]{4}-8/.test(id);
