import { setTimeout as delay } from 'node:timers/promises';
import { type ServiceName, serviceNames } from '@indelible/launcher';
import { startChild, startServer } from '../children/child.ts';
import { readCpuSeconds } from '../measuring/process-cpu.ts';
import { residentMegabytes } from '../measuring/process-memory.ts';
import { grownBetween } from '../measuring/use.ts';
import type { Row, Scenario, Unit } from '../scenario.ts';
import { serviceTarget } from '../system/service-target.ts';

const bareName = 'bare express';
const readyWithinMs = 60_000;

/**
 * The cost of the services without requests, after they were used and all stamps are confirmed: blocks come every second. The baseline is
 * a bare express server. Then each service is restarted.
 */
export const atRest: Scenario = {
  name: 'at-rest',
  about: 'without requests: CPU and memory of each process; and how long starting takes',
  async run({ quick, progress, startSystem, signal }) {
    const plan = quick ? quickPlan : fullPlan;
    const began = performance.now();
    const { connection, services, servers } = await startSystem();
    const start = { what: 'servers and services, from nothing', unit: 's', rounds: [secondsSince(began)] } as const;
    await using bare = await startServer('bare express', {}, signal);
    await using load = startChild(signal);
    progress('warming up');
    await load.run('closed loop', { ...serviceTarget(connection), ...plan.warmUp });
    const watched = [...Object.values(services), ...servers, { name: bareName, pid: () => bare.pid }];
    progress('coming to rest');
    await delay(plan.settleMs, undefined, { signal });
    const measured = { cpu: [] as Round[], memory: [] as Round[], starts: [] as Round[] };
    for (let round = 1; round <= plan.rounds; round++) {
      progress(`at rest, round ${round} of ${plan.rounds}`);
      const [from, before] = [performance.now(), await readCpuSeconds(watched)];
      await delay(plan.restMs, undefined, { signal });
      const used = grownBetween(before, await readCpuSeconds(watched));
      const seconds = secondsSince(from);
      measured.cpu.push(new Map([...used].map(([name, busy]) => [name, (busy * 1_000) / seconds])));
      measured.memory.push(await residentMegabytes(watched));
    }
    for (let round = 1; round <= plan.rounds; round++) {
      progress(`starting again, round ${round} of ${plan.rounds}`);
      const seconds = new Map<string, number>();
      for (const name of plan.restarted) {
        await services[name].restart({});
        const again = performance.now();
        await services[name].untilReady(AbortSignal.any([signal, AbortSignal.timeout(readyWithinMs)]));
        seconds.set(name, secondsSince(again));
      }
      measured.starts.push(seconds);
    }
    return [
      ...rowsOf(measured.cpu, 'CPU in a second at rest', 'ms'),
      ...rowsOf(measured.memory, 'resident at rest', 'MB'),
      start,
      ...rowsOf(measured.starts, 'until it is ready', 's'),
    ];
  },
};

/** A value of each process. */
type Round = ReadonlyMap<string, number>;

const secondsSince = (began: number): number => (performance.now() - began) / 1_000;

/** A row for each process, with the bare express server as the baseline where it was measured too. */
function rowsOf(rounds: readonly Round[], what: string, unit: Unit): Row[] {
  const of = (name: string): number[] => rounds.map((round) => round.get(name) ?? Number.NaN);
  const names = [...(rounds[0]?.keys() ?? [])];
  const beside = names.includes(bareName) ? { baseline: { what: bareName, rounds: of(bareName) } } : {};
  return names
    .filter((name) => name !== bareName)
    .map((name) => ({ what: `${name}, ${what}`, unit, rounds: of(name), ...beside }));
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
