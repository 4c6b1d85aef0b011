import type { SupervisedService } from '@indelible/launcher';
import { anyFreePort } from '@indelible/local-infrastructure';
import { type LoadProcess, startLoadProcess } from '../load/load-process.ts';
import type { Row, Scenario } from '../scenario.ts';
import { addLanes } from '../system/add-lanes.ts';
import { serviceTarget } from '../system/service-target.ts';
import type { System } from '../system/start-system.ts';
import { createCurveRows } from './curve-rows.ts';
import { linesUnderWay } from './lines-under-way.ts';

const lanes = 2;
const startsWithinMs = 60_000;

/**
 * The batch input with one and with two processes of stamping, and of the gateway, each gateway with a client process of
 * its own. All share the machine: what is gained is what one process cannot do alone, less what more of them cost.
 */
export const growthReplicas: Scenario = {
  name: 'growth-replicas',
  about: 'stamps through the batch input against the number of processes of stamping, and of the gateway',
  async run({ quick, progress, startSystem, signal }) {
    const plan = quick ? quickPlan : fullPlan;
    const system = await startSystem();
    const { stamping } = system.services;
    const loads = [startLoadProcess(signal), startLoadProcess(signal)];
    const environment = { LANES: String(lanes) };
    const restart = async (settings: Readonly<Record<string, string>>): Promise<void> => {
      await stamping.restart(settings);
      await stamping.untilReady(AbortSignal.any([signal, AbortSignal.timeout(startsWithinMs)]));
    };
    const replicas: SupervisedService[] = [];
    try {
      progress('adding lanes');
      await addLanes(system, lanes);
      await restart(environment);
      const stampings = createCurveRows('processes of stamping');
      const gateways = createCurveRows('processes of the gateway');
      for (let round = 1; round <= plan.rounds; round++) {
        const where = `round ${round} of ${plan.rounds}`;
        const measure = async (roots: readonly string[]): Promise<number> => {
          const rates = await Promise.all(
            roots.map((rootUrl, at) =>
              stream(system, loads[at], rootUrl, { ...plan, linesUnderWay: linesUnderWay / roots.length }),
            ),
          );
          return rates.reduce((sum, rate) => sum + rate, 0);
        };
        const { rootUrl } = system.connection;
        progress(`${where}: one process of each`);
        const alone = await measure([rootUrl]);
        stampings.add({ line: 'batch input', unit: 'stamps/s', x: 1 }, alone);
        gateways.add({ line: 'batch input', unit: 'stamps/s', x: 1 }, alone);
        progress(`${where}: two of stamping`);
        replicas.push(await system.startReplica('stamping', environment));
        stampings.add({ line: 'batch input', unit: 'stamps/s', x: 2 }, await measure([rootUrl]));
        await replicas.pop()?.stop();
        progress(`${where}: two of the gateway`);
        const port = await anyFreePort();
        replicas.push(await system.startReplica('gateway', { HTTP_PORT: String(port) }));
        const both = await measure([rootUrl, `http://127.0.0.1:${port}`]);
        gateways.add({ line: 'batch input', unit: 'stamps/s', x: 2 }, both);
        await replicas.pop()?.stop();
      }
      return [stampings, gateways].flatMap((curve): Row[] => curve.rows());
    } finally {
      await Promise.all([...loads, ...replicas].map((each) => each.stop()));
    }
  },
};

async function stream(
  { connection }: System,
  load: LoadProcess | undefined,
  rootUrl: string,
  {
    connections,
    linesPerBatch,
    linesUnderWay: underWay,
    seconds,
  }: typeof fullPlan & { readonly linesUnderWay: number },
): Promise<number> {
  if (load === undefined) throw new Error('each gateway has a process of the load');
  const job = { kind: 'stamp batches', connections, linesPerBatch, linesUnderWay: underWay, ...seconds } as const;
  const { stampsPerSecond } = await load.run({ ...job, ...serviceTarget(connection), rootUrl });
  return stampsPerSecond;
}

const fullPlan = {
  ...{ rounds: 3, connections: 2, linesPerBatch: 50_000 },
  seconds: { warmUpSeconds: 3, seconds: 8 },
};
const quickPlan: typeof fullPlan = {
  ...{ rounds: 1, connections: 1, linesPerBatch: 500 },
  seconds: { warmUpSeconds: 0, seconds: 3 },
};
