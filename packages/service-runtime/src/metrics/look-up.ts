import { settlesWithin } from '../time-limits.ts';

/** The value after a failed or late look-up. Its gauge then shows no number. */
export const unknown = Number.NaN;

/**
 * A value that a scrape looks up elsewhere, such as a backlog in Postgres: at most once per `maxAgeMs` for all scrapes.
 * No scrape waits longer than `timeoutMs` or fails: an unreachable server has its own alerts, and the other metrics
 * matter even more then.
 */
export function lookUp<Answer>(
  ask: () => Promise<Answer>,
  { maxAgeMs = 5_000, timeoutMs = 2_000 } = {},
): () => Promise<Answer | undefined> {
  let known: { readonly at: number; readonly answer: Promise<Answer | undefined> } | undefined;
  return async () => {
    if (known === undefined || performance.now() - known.at >= maxAgeMs)
      known = { at: performance.now(), answer: ask().catch(() => undefined) };
    const { answer } = known;
    return (await settlesWithin(timeoutMs, answer)) ? answer : undefined;
  };
}
