import type { Quantiles } from './measuring/statistics.ts';
import type { Row, Unit } from './scenario.ts';

/** What was measured in each round, and how a row's value is read from it. */
export type Measured<Round> = { readonly what: string; readonly rounds: readonly Round[] };

/** A row for each of the two quantiles; `%` in its name is the quantile. */
export const quantileRows = <Round>(
  what: string,
  rounds: readonly Round[],
  of: (round: Round) => Quantiles,
  baseline?: Measured<Round>,
): Row[] =>
  (['p50', 'p99'] as const).map((quantile) =>
    rowOf(what.replace('%', quantile), 'ms', rounds, (round) => of(round)[quantile], baseline),
  );

export const rowOf = <Round>(
  what: string,
  unit: Unit,
  rounds: readonly Round[],
  of: (round: Round) => number,
  baseline?: Measured<Round>,
): Row => ({
  ...{ what, unit, rounds: rounds.map(of) },
  ...(baseline === undefined ? {} : { baseline: { what: baseline.what, rounds: baseline.rounds.map(of) } }),
});
