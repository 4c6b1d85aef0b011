export type DisabledReason = 'failing' | 'gone' | 'owner';

/** What became of a webhook's deliveries since it was last noted. */
export type Tally = { readonly delivered: number; readonly refused: number; readonly gone: number };

export type Health = {
  /** When the first delivery failed since the last that succeeded. */
  readonly failingSince: Date | null;
  /** Why nothing more is delivered, if so. */
  readonly disable: Exclude<DisabledReason, 'owner'> | null;
};

/** So long nothing may succeed before a webhook is disabled. */
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
/** Of failures in a row: what one event's own fault may be. */
const forgiven = 2;

/**
 * How long a webhook whose deliveries fail, one after another, sends nothing: a receiver that is down gets a probe a minute at
 * most, and its events stay in the log meanwhile.
 * @param failures in a row
 */
export const pauseMsAfter = (failures: number): number =>
  failures <= forgiven ? 0 : Math.min(firstPauseMs * 2 ** Math.min(failures - forgiven, 20), longestPauseMs);
