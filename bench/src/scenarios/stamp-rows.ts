import type { StampOutcome } from '../load/stamp-loops.ts';
import { type Measured, rowOf } from '../rows.ts';
import type { Row } from '../scenario.ts';

/** Stamps confirmed a second. */
export const rateOf = (what: string, service: readonly StampOutcome[], baseline?: Measured<StampOutcome>): Row =>
  rowOf(what, 'stamps/s', service, ({ perSecond }) => perSecond, baseline);

/** Gas of a stamp, and how full the chain's blocks were: near 1, the chain limits the stamps per second. */
export const gasRows = (service: readonly StampOutcome[], baseline: Measured<StampOutcome>): Row[] => [
  rowOf('gas a stamp', 'gas', service, ({ gas }) => gas.gasPerStamp, baseline),
  {
    ...rowOf('gas of the fullest block', 'gas', service, ({ gas }) => gas.fullestBlock.gasUsed),
    baseline: { what: 'the limit of a block', rounds: service.map(({ gas }) => gas.fullestBlock.gasLimit) },
  },
];
