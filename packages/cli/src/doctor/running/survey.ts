import type { CheckName } from './check-names.ts';

/** Something that differs between two places. */
export type Difference = {
  /** Identifies it when its survey checks it again. */
  readonly key: string;
  /** What it is about: `stamp 1f0c…`. */
  readonly subject: string;
  readonly what: string;
  /** What a person can do about it. */
  readonly remedy: string;
};

/** One page's worth. */
export type Seen = { readonly looked: number; readonly differences: readonly Difference[] };

/**
 * One comparison. A running system changes between two reads, so what `all` finds is only a suspicion: it counts
 * when `again` finds it, some seconds later. Both hold one page in memory, and reject when a server is unavailable.
 */
export type Survey = {
  /** What is counted, as a plural: `stamps`. */
  readonly of: string;
  all(): AsyncIterable<Seen>;
  /** @param keys of differences that `all` found */
  again(keys: readonly string[]): Promise<readonly Difference[]>;
};

/** Surveys that belong together, for operators. */
export type Check = {
  readonly name: CheckName;
  /** Rejects if a server is unavailable or not the configured one. */
  prepare(): Promise<void>;
  readonly surveys: readonly Survey[];
};

/** The most keys that are checked again at once: bounds the memory of a second check. */
export const mostAsked = 1_000;

/** A survey of few things: reads all at once, also to check again. */
export const surveyAtOnce = (of: string, look: () => Promise<Seen>): Survey => ({
  of,
  async *all() {
    yield await look();
  },
  async again(keys) {
    const wanted = new Set(keys);
    return (await look()).differences.filter((difference) => wanted.has(difference.key));
  },
});
