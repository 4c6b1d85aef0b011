import { startLoadProcess } from '../load/load-process.ts';
import { requireOpenFiles } from '../load/open-files.ts';
import type { OpenLoopOutcome } from '../load/stamp-jobs.ts';
import type { Quantiles } from '../measuring/quantiles.ts';
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
  async run(context) {
    const { quick, progress, signal } = context;
    const plan = quick ? quickPlan : fullPlan;
    requireOpenFiles(plan.perSecond);
    const system = await context.startSystem();
    progress('starting the baseline');
    const ceiling = await startCeiling(system.connection.rpcUrl, signal);
    const load = startLoadProcess(signal);
    const outcomes = { service: [] as OpenLoopOutcome[], ceiling: [] as OpenLoopOutcome[] };
    try {
      const { perSecond } = plan;
      const target = { rootUrl: ceiling.url, apiKey: 'none', chain: ceiling.chain };
      for (let round = 1; round <= plan.rounds; round++) {
        const where = `${perSecond.toLocaleString('en')} a second, round ${round} of ${plan.rounds}`;
        progress(`${where}: the service`);
        const service = serviceTarget(system.connection);
        outcomes.service.push(await load.run({ kind: 'open loop', perSecond, ...service, ...plan.service }));
        progress(`${where}: the ceiling`);
        outcomes.ceiling.push(await load.run({ kind: 'open loop', perSecond, ...target, ...plan.ceiling }));
      }
    } finally {
      await load.stop();
      await ceiling.stop();
    }
    return parts.flatMap(({ what, times, reach }) =>
      (['p50', 'p99'] as const).map((quantile): Row => {
        const most = reach?.[quantile];
        return {
          ...{ what: `${what}, ${quantile}`, unit: 'ms' },
          rounds: outcomes.service.map((outcome) => times(outcome)[quantile]),
          baseline: {
            what: 'batching in memory',
            rounds: outcomes.ceiling.map((outcome) => times(outcome)[quantile]),
          },
          ...(most === undefined ? {} : { reach: { atMost: most } }),
        };
      }),
    );
  },
};

type Part = {
  readonly what: string;
  readonly times: (outcome: OpenLoopOutcome) => Quantiles;
  readonly reach?: { readonly p50: number; readonly p99: number };
};

const parts: readonly Part[] = [
  { what: 'after the head', times: ({ afterHeadMs }) => afterHeadMs, reach: { p50: 50, p99: 150 } },
  { what: 'before submission', times: ({ beforeSubmissionMs }) => beforeSubmissionMs, reach: { p50: 40, p99: 100 } },
  { what: 'whole', times: ({ latencyMs }) => latencyMs },
];

const fullPlan = {
  ...{ perSecond: 1_000, rounds: 3 },
  service: { warmUpSeconds: 5, seconds: 20 },
  ceiling: { warmUpSeconds: 2, seconds: 8 },
};
const quickPlan = {
  ...{ perSecond: 20, rounds: 1 },
  service: { warmUpSeconds: 0, seconds: 2 },
  ceiling: { warmUpSeconds: 0, seconds: 2 },
};
