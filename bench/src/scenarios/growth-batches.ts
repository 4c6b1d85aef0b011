import { startLoadProcess } from '../load/load-process.ts';
import type { Row, Scenario } from '../scenario.ts';
import { addLanes } from '../system/add-lanes.ts';
import { serviceTarget } from '../system/service-target.ts';
import { createCurveRows } from './curve-rows.ts';
import { linesUnderWay } from './lines-under-way.ts';

const startsWithinMs = 60_000;

/** Stamping as an operator may set it: the batch input at several sizes of batches, and with several lanes. */
export const growthBatches: Scenario = {
  name: 'growth-batches',
  about: 'stamps through the batch input against the most stamps of a transaction, and against the number of lanes',
  async run({ quick, progress, startSystem, signal }) {
    const plan = quick ? quickPlan : fullPlan;
    const system = await startSystem();
    const { stamping } = system.services;
    const load = startLoadProcess(signal);
    const restart = async (settings: Readonly<Record<string, string>>): Promise<void> => {
      await stamping.restart(settings);
      await stamping.untilReady(AbortSignal.any([signal, AbortSignal.timeout(startsWithinMs)]));
    };
    try {
      progress('adding lanes');
      await addLanes(system, Math.max(...plan.lanes));
      const curves = [
        { name: 'MAX_BATCH_ITEMS', sizes: plan.items, rows: createCurveRows('stamps a transaction at most') },
        { name: 'LANES', sizes: plan.lanes, rows: createCurveRows('lanes') },
      ];
      for (let round = 1; round <= plan.rounds; round++)
        for (const { name, sizes, rows } of curves)
          for (const x of sizes) {
            progress(`round ${round} of ${plan.rounds}: ${name}=${x}`);
            await restart({ [name]: String(x) });
            const { connections, linesPerBatch } = plan;
            const job = { kind: 'stamp batches', connections, linesPerBatch, linesUnderWay } as const;
            const outcome = await load.run({ ...job, ...serviceTarget(system.connection), ...plan.load });
            rows.add({ line: 'batch input', unit: 'stamps/s', x }, outcome.stampsPerSecond);
            rows.add({ line: 'batch input', unit: 'gas', x }, outcome.gas.gasPerStamp);
          }
      return curves.flatMap(({ rows }): Row[] => rows.rows());
    } finally {
      await load.stop();
    }
  },
};

const fullPlan = {
  ...{ items: [100, 1_000, 3_000], lanes: [1, 2, 4], rounds: 2, connections: 2, linesPerBatch: 50_000 },
  load: { warmUpSeconds: 3, seconds: 8 },
};
const quickPlan: typeof fullPlan = {
  ...{ items: [100], lanes: [2], rounds: 1, connections: 1, linesPerBatch: 500 },
  load: { warmUpSeconds: 0, seconds: 2 },
};
