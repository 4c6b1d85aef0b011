export type DisabledReason = 'failing' | 'gone' | 'owner';

/** Outcomes of a webhook's deliveries since the last write. */
export type Tally = { readonly delivered: number; readonly refused: number; readonly gone: number };

export type Health = {
  /** Time of the first failed delivery since the last success. */
  readonly failingSince: Date | null;
  /** Why the webhook is disabled, if it is. */
  readonly disable: Exclude<DisabledReason, 'owner'> | null;
};

/** After so long without a success a webhook is disabled. */
const failingDays = 5;
const failingMs = failingDays * 24 * 3_600_000;

/** The health of a webhook after some deliveries. */
export function healthAfter(failingSince: Date | null, tally: Tally, now: Date): Health {
  if (tally.gone > 0) return { failingSince: failingSince ?? now, disable: 'gone' };
  if (tally.delivered > 0) return { failingSince: null, disable: null };
  if (tally.refused === 0) return { failingSince, disable: null };
  const since = failingSince ?? now;
  return { failingSince: since, disable: now.getTime() - since.getTime() >= failingMs ? 'failing' : null };
}

const firstPauseMs = 500;
const longestPauseMs = 60_000;
/** Consecutive failures without a pause: single events may cause them. */
const forgiven = 2;

/**
 * How long a webhook with consecutive failures sends nothing: a receiver that is down gets at most one probe a minute,
 * and its events stay in the log.
 * @param failures in a row
 */
export const pauseMsAfter = (failures: number): number =>
  failures <= forgiven ? 0 : Math.min(firstPauseMs * 2 ** Math.min(failures - forgiven, 20), longestPauseMs);
