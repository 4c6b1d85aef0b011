import { startLoadProcess } from '../load/load-process.ts';
import type { Scenario } from '../scenario.ts';
import { serviceTarget } from '../system/service-target.ts';
import { startSubscribers } from '../system/subscribers.ts';
import { withClient } from '../system/with-client.ts';
import { createCurveRows } from './curve-rows.ts';
import { linesUnderWay } from './lines-under-way.ts';

/** The batch input while ever more teams follow what is confirmed, each of whom must have had every stamp in the end. */
export const growthConsumers: Scenario = {
  name: 'growth-consumers',
  about: 'stamps through the batch input against the number of consumer groups that follow confirmed stamps',
  async run({ quick, progress, startSystem, signal }) {
    const plan = quick ? quickPlan : fullPlan;
    const system = await startSystem();
    const { connection } = system;
    const load = startLoadProcess(signal);
    const countConfirmed = (): Promise<number> =>
      withClient(connection.databaseUrl, async (client) => {
        const { rows } = await client.query<{ n: number }>(
          `select count(*)::int as n from stamping.stamps where status = 'confirmed'`,
        );
        return rows[0]?.n ?? 0;
      });
    const { connections, linesPerBatch } = plan;
    const job = { kind: 'stamp batches', connections, linesPerBatch, linesUnderWay } as const;
    try {
      if (!quick) {
        progress('warming up');
        await load.run({ ...job, ...serviceTarget(connection), ...plan.load });
      }
      const rows = createCurveRows('consumer groups of stamp events');
      for (let round = 1; round <= plan.rounds; round++)
        for (const x of plan.groups) {
          progress(`round ${round} of ${plan.rounds}: ${x} consumer groups`);
          const subscribers = await startSubscribers(system, x, signal);
          try {
            const before = await countConfirmed();
            const { stampsPerSecond } = await load.run({ ...job, ...serviceTarget(connection), ...plan.load });
            rows.add({ line: 'batch input', unit: 'stamps/s', x }, stampsPerSecond);
            await subscribers.untilEachHas((await countConfirmed()) - before, signal);
          } finally {
            await subscribers.stop();
          }
        }
      return rows.rows();
    } finally {
      await load.stop();
    }
  },
};

const fullPlan = {
  ...{ rounds: 3, groups: [0, 1, 4, 16], connections: 2, linesPerBatch: 50_000 },
  load: { warmUpSeconds: 2, seconds: 8 },
};
const quickPlan: typeof fullPlan = {
  ...{ rounds: 1, groups: [2], connections: 1, linesPerBatch: 500 },
  load: { warmUpSeconds: 0, seconds: 2 },
};
