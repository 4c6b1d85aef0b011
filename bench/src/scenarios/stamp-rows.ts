import type { ClosedLoopOutcome, EthersOutcome, StampedGas } from '../load/stamp-jobs.ts';
import type { Readings } from '../measuring/use-of-window.ts';
import type { Row } from '../scenario.ts';

/** What was measured with so many callers, a round an entry. */
export type Level = {
  readonly callers: number;
  readonly service: ClosedLoopOutcome[];
  readonly ceiling: ClosedLoopOutcome[];
  readonly ethers: EthersOutcome[];
  /** CPU seconds by process, and bytes by where they were written, of the rounds of the service. */
  readonly used: { readonly cpu: Readings; readonly bytes: Readings }[];
  readonly ceilingCpu: Readings[];
};

/** Which readings are of bytes; the others are of CPU time. */
const byteNames: ReadonlySet<string> = new Set(['WAL', 'Kafka']);

/** Tells readings of CPU time from those of bytes. */
export function splitUse(used: Readings): Level['used'][number] {
  const pick = (areBytes: boolean): Readings => new Map([...used].filter(([name]) => byteNames.has(name) === areBytes));
  return { cpu: pick(false), bytes: pick(true) };
}

const ceilingName = 'batching in memory';
const ethersName = 'ethers, a transaction each';

/** The rows of so many callers; of the last level also what a stamp costs, and what is to be reached. */
export function stampRows(level: Level, { isLast }: { readonly isLast: boolean }): Row[] {
  const { service, ceiling, ethers } = level;
  const callers = `${level.callers.toLocaleString('en')} callers`;
  const confirmed = {
    what: `confirmed, ${callers}`,
    unit: 'stamps/s',
    rounds: service.map(({ stampsPerSecond }) => stampsPerSecond),
  } as const;
  const rates: Row[] = [
    {
      ...confirmed,
      baseline: { what: ceilingName, rounds: ceiling.map(({ stampsPerSecond }) => stampsPerSecond) },
      ...(isLast ? { reach: { ratioAtLeast: 0.4 } } : {}),
    },
  ];
  if (ethers.length > 0)
    rates.push({
      ...confirmed,
      baseline: { what: ethersName, rounds: ethers.map(({ stampsPerSecond }) => stampsPerSecond) },
      reach: { ratioAtLeast: 5 },
    });
  const latencies = (['p50', 'p90', 'p99'] as const).map((quantile): Row => {
    return {
      ...{ what: `latency ${quantile}, ${callers}`, unit: 'ms' },
      rounds: service.map(({ latencyMs }) => latencyMs[quantile]),
      baseline: { what: ceilingName, rounds: ceiling.map(({ latencyMs }) => latencyMs[quantile]) },
    };
  });
  return [...rates, ...latencies, ...(isLast ? [...cpuRows(level, ceilingName), ...costRows(level, ethersName)] : [])];
}

/** CPU by process; where the baseline has a process of the same name, beside it. */
export function cpuRows(
  { service, ceiling, used, ceilingCpu }: Pick<Level, 'service' | 'ceiling' | 'used' | 'ceilingCpu'>,
  ceilingName: string,
): Row[] {
  const per1000 = (seconds: number, stamps: number | undefined): number => (seconds * 1_000) / (stamps ?? Number.NaN);
  const sum = (readings: Readings): number => [...readings.values()].reduce((all, one) => all + one, 0);
  const names = [...(used[0]?.cpu.keys() ?? [])];
  return [
    {
      ...{ what: 'CPU per 1,000 stamps, all', unit: 'CPU-s' },
      rounds: used.map(({ cpu }, round) => per1000(sum(cpu), service[round]?.stamps)),
      baseline: {
        what: ceilingName,
        rounds: ceilingCpu.map((cpu, round) => per1000(sum(cpu), ceiling[round]?.stamps)),
      },
    },
    ...names.map((name): Row => {
      const isShared = ceilingCpu[0]?.has(name) === true;
      return {
        ...{ what: `CPU per 1,000 stamps, ${name}`, unit: 'CPU-s' },
        rounds: used.map(({ cpu }, round) => per1000(cpu.get(name) ?? Number.NaN, service[round]?.stamps)),
        ...(isShared
          ? {
              baseline: {
                what: ceilingName,
                rounds: ceilingCpu.map((cpu, round) => per1000(cpu.get(name) ?? Number.NaN, ceiling[round]?.stamps)),
              },
            }
          : {}),
      };
    }),
  ];
}

/** Gas and bytes written. */
export function costRows(
  { service, ethers, used }: Pick<Level, 'service' | 'ethers' | 'used'>,
  ethersName: string,
): Row[] {
  const gasOf = (gas: (gas: StampedGas) => number): number[] => service.map((outcome) => gas(outcome.gas));
  const perStamp: Row = {
    ...{ what: 'gas per stamp', unit: 'gas', rounds: gasOf(({ gasPerStamp }) => gasPerStamp) },
    baseline: { what: ethersName, rounds: ethers.map(({ gas }) => gas.gasPerStamp) },
  };
  const fullest: Row = {
    // Near 1 the chain is what bounds the stamps per second.
    ...{ what: 'gas of the fullest block', unit: 'gas', rounds: gasOf(({ fullestBlock }) => fullestBlock.gasUsed) },
    baseline: { what: 'the limit of a block', rounds: gasOf(({ fullestBlock }) => fullestBlock.gasLimit) },
  };
  const bytes = [...(used[0]?.bytes.keys() ?? [])].map((name): Row => {
    const rounds = used.map(
      (use, round) => (use.bytes.get(name) ?? Number.NaN) / (service[round]?.stamps ?? Number.NaN),
    );
    return { what: `${name} per stamp`, unit: 'bytes', rounds };
  });
  return [perStamp, fullest, ...bytes];
}
