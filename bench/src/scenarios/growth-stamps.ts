import { startChild } from '../children/child.ts';
import { newestBlock } from '../load/stamp-audit.ts';
import type { Row, Scenario, Unit } from '../scenario.ts';
import { growStamps, settleStores } from '../system/grown-stores.ts';
import { serviceTarget } from '../system/service-target.ts';

const by = 'stamps recorded before';

/** Callers who wait for each stamp, and stamps at set times, when ever more stamps are recorded already. */
export const growthStamps: Scenario = {
  name: 'growth-stamps',
  about: 'stamps per second and latency against the number of stamps recorded before',
  async run({ quick, large, progress, startSystem, signal }) {
    const { callers, perSecond, ...plan } = quick ? quickPlan : fullPlan;
    const { connection } = await startSystem();
    const target = serviceTarget(connection);
    const load = startChild(signal);
    const points = new Map<
      string,
      { readonly line: string; readonly unit: Unit; readonly x: number; rounds: number[] }
    >();
    const add = (line: string, unit: Unit, x: number, value: number): void => {
      const key = JSON.stringify([line, unit, x]);
      const point = points.get(key) ?? { line, unit, x, rounds: [] };
      point.rounds.push(value);
      points.set(key, point);
    };
    try {
      let grown = 0;
      // Within what idempotent requests may ask for.
      const since = Date.now() - 86_400_000;
      progress('warming up');
      if (!quick) await load.run('closed loop', { callers, ...target, warmUpSeconds: 0, seconds: 10 });
      for (const size of [...plan.sizes, ...(large && !quick ? [10_000_000] : [])]) {
        progress(`writing ${(size - grown).toLocaleString('en')} stamps into the stores`);
        const head = await newestBlock(connection.rpcUrl);
        const { user: account, chainId } = target.chain;
        await growStamps(connection.databaseUrl, { account, chainId, head, from: grown, to: size, since }, signal);
        await settleStores(connection.databaseUrl);
        grown = size;
        for (let round = 1; round <= plan.rounds; round++) {
          progress(`${size.toLocaleString('en')} stamps, round ${round} of ${plan.rounds}`);
          const who = `${callers.toLocaleString('en')} callers`;
          const waiting = await load.run('closed loop', { callers, ...target, ...plan.closed });
          const timed = await load.run('open loop', { perSecond, ...target, ...plan.open });
          add(who, 'stamps/s', size, waiting.perSecond);
          for (const quantile of ['p50', 'p99'] as const) {
            add(`${who}, ${quantile}`, 'ms', size, waiting.latencyMs[quantile]);
            add(`${perSecond} a second, ${quantile}`, 'ms', size, timed.latencyMs[quantile]);
          }
        }
      }
      const [least = 0] = plan.sizes;
      const nameOf = (x: number): string => `${x.toLocaleString('en')} ${by}`;
      return [...points.values()].map(({ line, unit, x, rounds }): Row => {
        const first = points.get(JSON.stringify([line, unit, least]))?.rounds ?? [];
        const baseline = { what: nameOf(least), rounds: first };
        return {
          ...{ what: `${line}, ${nameOf(x)}`, unit, rounds, at: { line, by, x } },
          ...(x === least ? {} : { baseline }),
        };
      });
    } finally {
      await load.stop();
    }
  },
};

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
