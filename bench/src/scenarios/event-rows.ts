import type { ClosedLoopOutcome, OpenLoopOutcome } from '../load/stamp-jobs.ts';
import type { Readings } from '../measuring/use-of-window.ts';
import type { Row } from '../scenario.ts';
import { splitUse } from './stamp-rows.ts';

/** Of a load with public events, or without. */
export type EventRound = {
  readonly outcome: ClosedLoopOutcome | OpenLoopOutcome;
  /** All that were confirmed in what was used, warm-up included. */
  readonly stamps: number;
  readonly used: Readings;
};
type Level = {
  readonly of: { readonly kind: string; readonly callers?: number; readonly perSecond?: number };
  readonly with: readonly EventRound[];
  readonly without: readonly EventRound[];
};

const baselineName = 'notifications paused';
/** What public events may slow the confirmation by. */
const mostSlower = 0.03;

/** How fast stamps are confirmed. */
export function paceRows({ of, ...level }: Level): Row[] {
  const load =
    of.callers === undefined
      ? `${of.perSecond?.toLocaleString('en')} a second`
      : `${of.callers.toLocaleString('en')} callers`;
  const row = (
    what: string,
    value: (outcome: EventRound['outcome']) => number,
  ): Pick<Row, 'what' | 'rounds'> & Row => ({
    ...{ what: `${what}, ${load}`, unit: 'ms' },
    rounds: level.with.map(({ outcome }) => value(outcome)),
    baseline: { what: baselineName, rounds: level.without.map(({ outcome }) => value(outcome)) },
    reach: { ratioAtMost: 1 + mostSlower },
  });
  const rate = (outcome: EventRound['outcome']): number =>
    'stampsPerSecond' in outcome ? outcome.stampsPerSecond : Number.NaN;
  const rates: Row[] =
    of.callers === undefined
      ? []
      : [{ ...row('confirmed', rate), unit: 'stamps/s', reach: { ratioAtLeast: 1 - mostSlower } }];
  return [
    ...rates,
    row('latency p50', ({ latencyMs }) => latencyMs.p50),
    row('latency p99', ({ latencyMs }) => latencyMs.p99),
  ];
}

/** What a stamp costs, by process and by where bytes are written; beside it the same without events. */
export function costRows(level: Level): Row[] {
  const names = [...(level.with[0]?.used.keys() ?? [])];
  const { bytes } = splitUse(new Map(names.map((name) => [name, 0])));
  const perStamp = (rounds: readonly EventRound[], of: (used: Readings) => number, times: number): number[] =>
    rounds.map(({ used, stamps }) => (of(used) * times) / stamps);
  const row = (what: string, unit: 'µs' | 'bytes', of: (used: Readings) => number): Row => {
    const times = unit === 'µs' ? 1e6 : 1;
    return {
      ...{ what, unit, rounds: perStamp(level.with, of, times) },
      baseline: { what: baselineName, rounds: perStamp(level.without, of, times) },
    };
  };
  const cpuOf = (used: Readings): number => [...splitUse(used).cpu.values()].reduce((sum, seconds) => sum + seconds, 0);
  return [
    row('CPU a stamp, all', 'µs', cpuOf),
    ...names.map((name) =>
      bytes.has(name)
        ? row(`${name} a stamp`, 'bytes', (used) => used.get(name) ?? Number.NaN)
        : row(`CPU a stamp, ${name}`, 'µs', (used) => used.get(name) ?? Number.NaN),
    ),
  ];
}
