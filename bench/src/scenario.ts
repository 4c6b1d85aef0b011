import type { System, SystemOptions } from './system/start-system.ts';

/** A measurement, always in the same unit: a value for each round. */
export type Series = { readonly what: string; readonly rounds: readonly number[] };

export type Unit =
  | 'MB'
  | 'MB/s'
  | 'bytes'
  | 's'
  | 'ms'
  | 'µs'
  | 'requests/s'
  | 'stamps/s'
  | 'gas'
  | 'statements'
  | 'records'
  | 'batches';

/** The place of a row on a curve: `by` names the varied `x`, with its unit. */
export type Point = { readonly line: string; readonly by: string; readonly x: number };

/** A line of the result. Rounds of the baseline were interleaved with those of the row. */
export type Row = Series & {
  readonly unit: Unit;
  readonly baseline?: Series;
  readonly at?: Point;
  /** The bound of every round with `--hold`; goals are in `reporting/goals.ts`. */
  readonly atMost?: number;
};

export type ScenarioContext = {
  /** A minimal run that only shows that it works: its figures mean nothing. */
  readonly quick: boolean;
  /** Also sizes that take many minutes and some ten gigabytes to make. */
  readonly large: boolean;
  /** Shows the current step. */
  readonly progress: (text: string) => void;
  /** Starts servers and services for this scenario alone; they are stopped after it. */
  readonly startSystem: (options?: SystemOptions) => Promise<System>;
  readonly signal: AbortSignal;
};

/** A benchmark with its baseline and warm-up; rejects when it cannot run or its outcome is wrong. */
export type Scenario = {
  readonly name: string;
  readonly about: string;
  run(context: ScenarioContext): Promise<readonly Row[]>;
};
