import { settlesWithin } from '../time-limits.ts';

/** What is known after a look that failed or is late: nothing. A gauge of it shows no number then. */
export const unknown = Number.NaN;

/**
 * What a scrape looks up elsewhere, such as a backlog in Postgres: at most once in `maxAgeMs`, whatever scrapes. No scrape waits longer than
 * `timeoutMs`, and none fails: an unreachable server has alerts of its own, and the other metrics are wanted all the more then.
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
