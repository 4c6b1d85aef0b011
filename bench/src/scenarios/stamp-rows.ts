import type { StampOutcome } from '../load/stamp-loops.ts';
import type { Row } from '../scenario.ts';

export const roundsOf = (outcomes: readonly StampOutcome[], of: (outcome: StampOutcome) => number): number[] =>
  outcomes.map(of);

const perSecond = (outcome: StampOutcome): number => outcome.perSecond;

/** Stamps confirmed a second, with those of a baseline. */
export const rateOf = (
  what: string,
  service: readonly StampOutcome[],
  beside: string,
  baseline: readonly StampOutcome[],
): Row => ({
  ...{ what, unit: 'stamps/s', rounds: roundsOf(service, perSecond) },
  baseline: { what: beside, rounds: roundsOf(baseline, perSecond) },
});

/** Gas of a stamp, and how full the chain's blocks were: near 1 the chain is what bounds the stamps per second. */
export const gasRows = (service: readonly StampOutcome[], beside: string, baseline: readonly StampOutcome[]): Row[] => [
  {
    ...{ what: 'gas a stamp', unit: 'gas', rounds: roundsOf(service, ({ gas }) => gas.gasPerStamp) },
    baseline: { what: beside, rounds: roundsOf(baseline, ({ gas }) => gas.gasPerStamp) },
  },
  {
    ...{ what: 'gas of the fullest block', unit: 'gas' },
    rounds: roundsOf(service, ({ gas }) => gas.fullestBlock.gasUsed),
    baseline: { what: 'the limit of a block', rounds: roundsOf(service, ({ gas }) => gas.fullestBlock.gasLimit) },
  },
];
