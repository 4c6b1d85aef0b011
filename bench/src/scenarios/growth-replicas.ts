import { type ServiceName, type SupervisedService, serviceNames } from '@indelible/launcher';
import { anyFreePort } from '@indelible/local-infrastructure';
import { type LoadProcess, startLoadProcess } from '../load/load-process.ts';
import type { Row, Scenario } from '../scenario.ts';
import { addLanes } from '../system/add-lanes.ts';
import { serviceTarget } from '../system/service-target.ts';
import type { System } from '../system/start-system.ts';
import { createCurveRows } from './curve-rows.ts';
import { linesUnderWay } from './lines-under-way.ts';

const startsWithinMs = 60_000;

/**
 * The batch input with ever more processes of one service, each gateway with a client process of its own. All share the
 * machine: what is gained is what one process cannot do alone, less what more of them cost.
 */
export const growthReplicas: Scenario = {
  name: 'growth-replicas',
  about: 'stamps through the batch input against the number of processes of each service',
  async run({ quick, progress, startSystem, signal }) {
    const plan = quick ? quickPlan : fullPlan;
    const most = Math.max(...plan.replicas);
    const system = await startSystem();
    const { stamping } = system.services;
    const loads = Array.from({ length: most }, () => startLoadProcess(signal));
    // As many lanes as processes of stamping, so that each has work.
    const environment = { LANES: String(most) };
    const started: SupervisedService[] = [];
    const stopReplicas = async (): Promise<void> => {
      await Promise.all(started.splice(0).map((each) => each.stop()));
    };
    try {
      progress('adding lanes');
      await addLanes(system, most);
      await stamping.restart(environment);
      await stamping.untilReady(AbortSignal.any([signal, AbortSignal.timeout(startsWithinMs)]));
      if (!quick) {
        progress('warming up');
        await stream(system, loads, [system.connection.rootUrl], plan);
      }
      const rows = createCurveRows('processes of a service');
      for (let round = 1; round <= plan.rounds; round++) {
        const where = `round ${round} of ${plan.rounds}`;
        progress(`${where}: one process of each`);
        const alone = await stream(system, loads, [system.connection.rootUrl], plan);
        for (const service of plan.services) {
          rows.add({ line: service, unit: 'stamps/s', x: 1 }, alone);
          const roots = [system.connection.rootUrl];
          for (const x of plan.replicas) {
            progress(`${where}: ${x} processes of ${service}`);
            while (started.length < x - 1) {
              const { replica, rootUrl } = await startOne(system, service, environment);
              started.push(replica);
              if (rootUrl !== undefined) roots.push(rootUrl);
            }
            rows.add({ line: service, unit: 'stamps/s', x }, await stream(system, loads, roots, plan));
          }
          await stopReplicas();
        }
      }
      return rows.rows().toSorted(byLine) satisfies Row[];
    } finally {
      await Promise.all([stopReplicas(), ...loads.map((load) => load.stop())]);
    }
  },
};

const byLine = (a: Row, b: Row): number => (a.at?.line ?? '').localeCompare(b.at?.line ?? '');

/** @returns where a gateway is asked; the others are asked by nobody from outside */
async function startOne(
  system: System,
  service: ServiceName,
  ofStamping: Readonly<Record<string, string>>,
): Promise<{ readonly replica: SupervisedService; readonly rootUrl?: string }> {
  if (service === 'stamping') return { replica: await system.startReplica(service, ofStamping) };
  if (service !== 'gateway') return { replica: await system.startReplica(service) };
  const port = String(await anyFreePort());
  const replica = await system.startReplica(service, { HTTP_PORT: port });
  return { replica, rootUrl: `http://127.0.0.1:${port}` };
}

/** Stamps a second of all gateways together, which share the lines that may be under way. */
async function stream(
  { connection }: System,
  loads: readonly LoadProcess[],
  roots: readonly string[],
  { connections, linesPerBatch, seconds }: typeof fullPlan,
): Promise<number> {
  const share = Math.floor(linesUnderWay / roots.length);
  const rates = await Promise.all(
    roots.map(async (rootUrl, at) => {
      const load = loads[at];
      if (load === undefined) throw new Error('each gateway has a process of the load');
      const job = { kind: 'stamp batches', connections, linesPerBatch, linesUnderWay: share, ...seconds } as const;
      return (await load.run({ ...job, ...serviceTarget(connection), rootUrl })).stampsPerSecond;
    }),
  );
  return rates.reduce((sum, rate) => sum + rate, 0);
}

const fullPlan = {
  ...{
    rounds: 2,
    services: [...serviceNames],
    replicas: [2, 4],
    connections: 2,
    linesPerBatch: 50_000,
  },
  seconds: { warmUpSeconds: 3, seconds: 8 },
};
const quickPlan: typeof fullPlan = {
  ...{ rounds: 1, services: ['gateway'], replicas: [2], connections: 1, linesPerBatch: 500 },
  seconds: { warmUpSeconds: 0, seconds: 2 },
};
