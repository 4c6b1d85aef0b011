import { startLoadProcess } from '../load/load-process.ts';
import { requireOpenFiles } from '../load/open-files.ts';
import type { Quantiles } from '../measuring/quantiles.ts';
import type { Row, Scenario } from '../scenario.ts';
import { openEventLog } from '../system/event-log.ts';
import { readPublicTopic } from '../system/public-topic.ts';
import { serviceTarget } from '../system/service-target.ts';

/**
 * A subscriber reads the public topic while stamps come at set times: how long after its confirmation a stamp's event is there. Each
 * stamp that was answered must have come, once, and each collection's events in their order.
 */
export const eventsPublished: Scenario = {
  name: 'events-published',
  about: 'from the time of StampConfirmed to the arrival of its public event at a subscriber of the topic',
  async run({ quick, progress, startSystem, signal }) {
    const plan = quick ? quickPlan : fullPlan;
    requireOpenFiles(Math.max(...plan.perSecond));
    const system = await startSystem();
    const log = await openEventLog(system.connection.databaseUrl);
    const load = startLoadProcess(signal);
    const topic = await readPublicTopic(system, log, signal);
    try {
      const levels = plan.perSecond.map((perSecond) => ({ perSecond, late: [] as Quantiles[] }));
      for (let round = 1; round <= plan.rounds; round++)
        for (const { perSecond, late } of levels) {
          progress(`${perSecond.toLocaleString('en')} a second, round ${round} of ${plan.rounds}`);
          await topic.caughtUp();
          const before = await log.confirmedStamps();
          await load.run({ kind: 'open loop', perSecond, ...serviceTarget(system.connection), ...plan.load });
          late.push(await topic.untilConfirmed((await log.confirmedStamps()) - before));
        }
      return levels.flatMap(({ perSecond, late }) =>
        (['p50', 'p99'] as const).map((quantile): Row => {
          const what = `published after confirmation, ${perSecond.toLocaleString('en')} a second, ${quantile}`;
          return { what, unit: 'ms', rounds: late.map((of) => of[quantile]) };
        }),
      );
    } finally {
      await Promise.all([topic.stop(), load.stop(), log.close()]);
    }
  },
};

const fullPlan = { rounds: 3, perSecond: [300, 600], load: { warmUpSeconds: 3, seconds: 15 } };
const quickPlan: typeof fullPlan = { rounds: 1, perSecond: [20], load: { warmUpSeconds: 0, seconds: 2 } };
