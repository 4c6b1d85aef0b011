import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type ServiceName, serviceNames } from '@indelible/launcher';
import { startLoadProcess } from '../load/load-process.ts';
import { type CpuWatched, readCpuSeconds } from '../measuring/process-cpu.ts';
import { residentMegabytes } from '../measuring/process-memory.ts';
import type { Row, Scenario, Series, Unit } from '../scenario.ts';
import { serviceTarget } from '../system/service-target.ts';
import { startSideProcess } from '../system/side-process.ts';

const bareName = 'bare express';
const readyWithinMs = 60_000;

/**
 * What the services cost while nobody asks for anything, after they were used and all stamps are confirmed: blocks come every second. A
 * bare express server waits beside them. Then each is started again.
 */
export const atRest: Scenario = {
  name: 'at-rest',
  about: 'nobody asks for anything: CPU and memory of each process; and how long starting takes',
  async run({ quick, progress, startSystem, signal }) {
    const plan = quick ? quickPlan : fullPlan;
    const began = performance.now();
    const { connection, services, servers } = await startSystem();
    const start = { what: 'servers and services, from nothing', unit: 's', rounds: [secondsSince(began)] } as const;
    const bare = await startSideProcess(join(import.meta.dirname, '../system/bare-express.ts'), {}, signal);
    const load = startLoadProcess(signal);
    try {
      progress('warming up');
      await load.run({ kind: 'closed loop', ...serviceTarget(connection), ...plan.warmUp });
      const waiting = { name: bareName, pid: () => bare.pid };
      const watched = [...Object.values(services), ...servers.map(({ name, pid }) => ({ name, pid: () => pid }))];
      progress('coming to rest');
      await delay(plan.settleMs, undefined, { signal });
      const cpu = createSeries([...watched, waiting]);
      const memory = createSeries([...watched, waiting]);
      for (let round = 1; round <= plan.rounds; round++) {
        progress(`at rest, round ${round} of ${plan.rounds}`);
        cpu.add(await cpuOf([...watched, waiting], plan.restMs, signal));
        memory.add(await residentMegabytes([...watched, waiting]));
      }
      const starts = createSeries(plan.restarted.map((name) => services[name]));
      for (let round = 1; round <= plan.rounds; round++) {
        progress(`starting again, round ${round} of ${plan.rounds}`);
        const seconds = new Map<string, number>();
        for (const name of plan.restarted) {
          await services[name].restart({});
          const again = performance.now();
          await services[name].untilReady(AbortSignal.any([signal, AbortSignal.timeout(readyWithinMs)]));
          seconds.set(name, secondsSince(again));
        }
        starts.add(seconds);
      }
      return [
        ...cpu.rows('CPU in a second at rest', 'ms', bareName),
        ...memory.rows('resident at rest', 'MB', bareName),
        start,
        ...starts.rows('until it is ready', 's'),
      ];
    } finally {
      await Promise.all([load.stop(), bare.stop()]);
    }
  },
};

const secondsSince = (began: number): number => (performance.now() - began) / 1_000;

/** Milliseconds of CPU in a second. */
async function cpuOf(
  processes: readonly CpuWatched[],
  forMs: number,
  signal: AbortSignal,
): Promise<Map<string, number>> {
  const began = performance.now();
  const before = await readCpuSeconds(processes);
  await delay(forMs, undefined, { signal });
  const after = await readCpuSeconds(processes);
  const seconds = secondsSince(began);
  return new Map([...after].map(([name, used]) => [name, ((used - (before.get(name) ?? 0)) * 1_000) / seconds]));
}

/** Rounds by process. */
function createSeries(processes: readonly { readonly name: string }[]) {
  const series = new Map(processes.map(({ name }) => [name, [] as number[]]));
  return {
    add(round: ReadonlyMap<string, number>): void {
      for (const [name, rounds] of series) rounds.push(round.get(name) ?? Number.NaN);
    },
    /** @param beside the process that is the others' baseline */
    rows(what: string, unit: Unit, beside?: string): Row[] {
      const rounds = beside === undefined ? undefined : series.get(beside);
      const baseline: { readonly baseline?: Series } =
        beside === undefined || rounds === undefined ? {} : { baseline: { what: beside, rounds } };
      return [...series].flatMap(([name, own]) =>
        name === beside ? [] : [{ what: `${name}, ${what}`, unit, rounds: own, ...baseline }],
      );
    },
  };
}

const fullPlan = {
  warmUp: { callers: 256, warmUpSeconds: 0, seconds: 15 },
  ...{ settleMs: 30_000, restMs: 20_000, rounds: 3 },
  restarted: serviceNames as readonly ServiceName[],
};
const quickPlan: typeof fullPlan = {
  warmUp: { callers: 8, warmUpSeconds: 0, seconds: 2 },
  ...{ settleMs: 0, restMs: 500, rounds: 1 },
  restarted: ['verification'],
};
