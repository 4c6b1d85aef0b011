import { startChild } from '../children/child.ts';
import type { OpenLoopOutcome } from '../load/stamp-loops.ts';
import type { Quantiles } from '../measuring/statistics.ts';
import type { Row, Scenario } from '../scenario.ts';
import { startCeiling } from '../system/ceiling.ts';
import { serviceTarget } from '../system/service-target.ts';

/**
 * Stamps at set times, whatever the answers do, so that no stall is hidden: latency counts from when a request was to be
 * sent. The wait for the block is the chain's; what the service adds is the time before its transaction is in the
 * pool, and the time after the block's head is known.
 */
export const stampsOpenLoop: Scenario = {
  name: 'stamps-open-loop',
  about: '1,000 stamps a second at set times: what the service adds before the transaction and after its block',
  async run({ quick, progress, startSystem, signal }) {
    const plan = quick ? quickPlan : fullPlan;
    const { connection } = await startSystem();
    progress('starting the baseline');
    const ceiling = await startCeiling(connection.rpcUrl, signal);
    const load = startChild(signal);
    const outcomes = { service: [] as OpenLoopOutcome[], ceiling: [] as OpenLoopOutcome[] };
    try {
      const { perSecond } = plan;
      for (let round = 1; round <= plan.rounds; round++) {
        const where = `${perSecond.toLocaleString('en')} a second, round ${round} of ${plan.rounds}`;
        progress(`${where}: the service`);
        const service = serviceTarget(connection);
        outcomes.service.push(await load.run('open loop', { perSecond, ...service, ...plan.service }));
        progress(`${where}: the ceiling`);
        outcomes.ceiling.push(await load.run('open loop', { perSecond, ...ceiling.target, ...plan.ceiling }));
      }
    } finally {
      await Promise.all([load.stop(), ceiling.stop()]);
    }
    return Object.entries(parts).flatMap(([what, times]) =>
      (['p50', 'p99'] as const).map((quantile): Row => {
        const of = (all: readonly OpenLoopOutcome[]): number[] => all.map((outcome) => times(outcome)[quantile]);
        const baseline = { what: 'batching in memory', rounds: of(outcomes.ceiling) };
        return { what: `${what}, ${quantile}`, unit: 'ms', rounds: of(outcomes.service), baseline };
      }),
    );
  },
};

const parts: Readonly<Record<string, (outcome: OpenLoopOutcome) => Quantiles>> = {
  'after the head': ({ afterHeadMs }) => afterHeadMs,
  'before submission': ({ beforeSubmissionMs }) => beforeSubmissionMs,
  whole: ({ latencyMs }) => latencyMs,
};

const fullPlan = {
  ...{ perSecond: 1_000, rounds: 3 },
  service: { warmUpSeconds: 5, seconds: 20 },
  ceiling: { warmUpSeconds: 2, seconds: 8 },
};
const quickPlan: typeof fullPlan = {
  ...{ perSecond: 20, rounds: 1 },
  service: { warmUpSeconds: 0, seconds: 2 },
  ceiling: { warmUpSeconds: 0, seconds: 2 },
};
