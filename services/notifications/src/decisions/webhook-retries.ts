import type { Attempt, DeliveryStatus } from './deliveries.ts';

/** An attempt, and the `Retry-After` of its response. */
export type Attempted = { readonly attempt: Attempt; readonly retryAfter: string | undefined };

export type Outcome =
  | { readonly kind: 'delivered' }
  /** 410: the receiver wants nothing more. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'refused'; readonly retryAfterMs: number };

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Delays between attempts; after the last, the delivery has failed. */
export const retryDelaysMs: readonly number[] = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  10 * hour,
];
/** Deliveries that failed together must not return together. */
const jitter = 0.2;
/** The longest that a receiver can request. */
const longestRetryAfterMs = hour;

export function outcomeOf(status: number | null, retryAfter: string | undefined, now: number): Outcome {
  if (status !== null && status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === 410) return { kind: 'gone' };
  const isBusy = status === 429 || status === 503;
  return { kind: 'refused', retryAfterMs: isBusy ? retryAfterMs(retryAfter, now) : 0 };
}

/** RFC 9110: seconds or a date; 0 for anything else. */
function retryAfterMs(value: string | undefined, now: number): number {
  if (value === undefined) return 0;
  const ms = /^\d{1,9}$/.test(value.trim()) ? Number(value) * second : Date.parse(value) - now;
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), longestRetryAfterMs);
}

/**
 * When to retry a delivery; undefined when it has finally failed.
 * @param tries number of attempts
 * @param random from 0 to 1
 */
export function nextAttemptAt(
  tries: number,
  { retryAfterMs }: { readonly retryAfterMs: number },
  now: number,
  random: number,
  delays: readonly number[] = retryDelaysMs,
): Date | undefined {
  const delay = delays[tries - 1];
  if (delay === undefined) return undefined;
  return new Date(now + Math.max(delay * (1 + jitter * random), retryAfterMs));
}

/**
 * A delivery's status after an attempt, and the pause that the receiver requests.
 * @param tries attempts, including this one
 * @param random from 0 to 1
 */
export function afterAttempt(
  { attempt, retryAfter }: Attempted,
  tries: number,
  now: number,
  random: number,
): { readonly status: DeliveryStatus; readonly nextAttemptAt: Date | null; readonly restMs: number } {
  const outcome = outcomeOf(attempt.status, retryAfter, now);
  if (outcome.kind === 'delivered') return { status: 'delivered', nextAttemptAt: null, restMs: 0 };
  if (outcome.kind === 'gone') return { status: 'failed', nextAttemptAt: null, restMs: 0 };
  const next = nextAttemptAt(tries, outcome, now, random);
  return {
    status: next === undefined ? 'failed' : 'waiting',
    nextAttemptAt: next ?? null,
    restMs: outcome.retryAfterMs,
  };
}
