import { type LoadProcess, startLoadProcess } from '../load/load-process.ts';
import { requireOpenFiles } from '../load/open-files.ts';
import { newestBlock } from '../load/stamp-audit.ts';
import type { Scenario } from '../scenario.ts';
import { growStamps, settleStores } from '../system/grown-stores.ts';
import { serviceTarget } from '../system/service-target.ts';
import { createCurveRows } from './curve-rows.ts';

const by = 'stamps recorded before';

/** Callers who wait for each stamp, and stamps at set times, when ever more stamps are recorded already. */
export const growthStamps: Scenario = {
  name: 'growth-stamps',
  about: 'stamps per second and latency against the number of stamps recorded before',
  async run({ quick, large, progress, startSystem, signal }) {
    const plan = quick ? quickPlan : fullPlan;
    requireOpenFiles(plan.callers);
    const { connection } = await startSystem();
    const target = serviceTarget(connection);
    const load = startLoadProcess(signal);
    try {
      const rows = createCurveRows(by);
      let grown = 0;
      // Within what idempotent requests may ask for.
      const since = Date.now() - 86_400_000;
      if (!quick) {
        progress('warming up');
        await load.run({ kind: 'closed loop', callers: plan.callers, ...target, ...warmUp });
      }
      for (const size of [...plan.sizes, ...(large && !quick ? [10_000_000] : [])]) {
        progress(`writing ${(size - grown).toLocaleString('en')} stamps into the stores`);
        const head = await newestBlock(connection.rpcUrl);
        const { user: account, chainId } = target.chain;
        await growStamps(connection.databaseUrl, { account, chainId, head, from: grown, to: size, since }, signal);
        await settleStores(connection.databaseUrl);
        grown = size;
        for (let round = 1; round <= plan.rounds; round++) {
          progress(`${size.toLocaleString('en')} stamps, round ${round} of ${plan.rounds}`);
          await measure(load, target, plan, (line, unit, value) => rows.add({ line, unit, x: size }, value));
        }
      }
      return rows.rows();
    } finally {
      await load.stop();
    }
  },
};

async function measure(
  load: LoadProcess,
  target: ReturnType<typeof serviceTarget>,
  { callers, perSecond, closed, open }: typeof fullPlan,
  add: (line: string, unit: 'stamps/s' | 'ms', value: number) => void,
): Promise<void> {
  const waiting = await load.run({ kind: 'closed loop', callers, ...target, ...closed });
  add(`${callers.toLocaleString('en')} callers`, 'stamps/s', waiting.stampsPerSecond);
  add(`${callers.toLocaleString('en')} callers, p50`, 'ms', waiting.latencyMs.p50);
  add(`${callers.toLocaleString('en')} callers, p99`, 'ms', waiting.latencyMs.p99);
  const timed = await load.run({ kind: 'open loop', perSecond, ...target, ...open });
  add(`${perSecond} a second, p50`, 'ms', timed.latencyMs.p50);
  add(`${perSecond} a second, p99`, 'ms', timed.latencyMs.p99);
}

const warmUp = { warmUpSeconds: 0, seconds: 10 };
const fullPlan = {
  ...{ sizes: [10_000, 100_000, 1_000_000], rounds: 2, callers: 1_024, perSecond: 100 },
  closed: { warmUpSeconds: 2, seconds: 6 },
  open: { warmUpSeconds: 1, seconds: 6 },
};
const quickPlan: typeof fullPlan = {
  ...{ sizes: [200, 2_000], rounds: 1, callers: 8, perSecond: 10 },
  closed: { warmUpSeconds: 0, seconds: 2 },
  open: { warmUpSeconds: 0, seconds: 1 },
};
