import { startChild } from '../children/child.ts';
import type { OpenLoopOutcome } from '../load/stamp-loops.ts';
import { quantileRows } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { startCeiling } from '../system/ceiling.ts';
import { serviceTarget } from '../system/service-target.ts';

/**
 * Stamps at set times, regardless of responses, so that no stall is hidden: latency counts from the set time. The wait
 * for the block is the chain's; the service adds the time before its transaction is in the pool, and the time after the
 * block's head is known.
 */
export const stampsOpenLoop: Scenario = {
  name: 'stamps-open-loop',
  about: '1,000 stamps a second at set times: what the service adds before the transaction and after its block',
  async run({ quick, progress, startSystem, signal }) {
    const plan = quick ? quickPlan : fullPlan;
    const { connection } = await startSystem();
    progress('starting the baseline');
    await using ceiling = await startCeiling(connection.rpcUrl, signal);
    await using load = startChild(signal);
    const service: OpenLoopOutcome[] = [];
    const inMemory = { what: 'batching in memory', rounds: [] as OpenLoopOutcome[] };
    const { perSecond } = plan;
    for (let round = 1; round <= plan.rounds; round++) {
      const where = `${perSecond.toLocaleString('en')} a second, round ${round} of ${plan.rounds}`;
      progress(`${where}: the service`);
      service.push(await load.run('open loop', { perSecond, ...serviceTarget(connection), ...plan.service }));
      progress(`${where}: the ceiling`);
      inMemory.rounds.push(await load.run('open loop', { perSecond, ...ceiling.target, ...plan.ceiling }));
    }
    return [
      ...quantileRows('after the head, %', service, ({ afterHeadMs }) => afterHeadMs, inMemory),
      ...quantileRows('before submission, %', service, ({ beforeSubmissionMs }) => beforeSubmissionMs, inMemory),
      ...quantileRows('whole, %', service, ({ latencyMs }) => latencyMs, inMemory),
    ];
  },
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
