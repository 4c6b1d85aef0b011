import type { CheckName } from './check-names.ts';

/** Something that two places tell otherwise. */
export type Difference = {
  /** What it is looked up by again; of the survey that found it. */
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
 * One comparison. A system that is at work changes between two reads, so what `all` finds is only a suspicion: it counts
 * when `again` finds it, some seconds later. Both hold one page in memory, and reject when something is away.
 */
export type Survey = {
  /** What is counted, as a plural: `stamps`. */
  readonly of: string;
  all(): AsyncIterable<Seen>;
  /** @param keys of differences that `all` found */
  again(keys: readonly string[]): Promise<readonly Difference[]>;
};

/** Surveys that belong together, for those who run the service. */
export type Check = {
  readonly name: CheckName;
  /** Makes sure that what is looked at is the right thing. Rejects when not, or when it is away. */
  prepare(): Promise<void>;
  readonly surveys: readonly Survey[];
};

/** The most keys that are asked for again at once: bounds what is held while looking a second time. */
export const mostAsked = 1_000;

/** A survey of few things, all looked at in one go, and again in the same way. */
export const surveyAtOnce = (of: string, look: () => Promise<Seen>): Survey => ({
  of,
  async *all() {
    yield await look();
  },
  async again(keys) {
    const asked = new Set(keys);
    return (await look()).differences.filter((difference) => asked.has(difference.key));
  },
});
