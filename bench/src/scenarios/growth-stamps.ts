import { startChild } from '../children/child.ts';
import { newestBlock } from '../load/stamp-audit.ts';
import type { StampOutcome } from '../load/stamp-loops.ts';
import type { Quantiles } from '../measuring/statistics.ts';
import { quantileRows } from '../rows.ts';
import type { Row, Scenario } from '../scenario.ts';
import { growStamps, settleStores } from '../system/grown-stores.ts';
import { serviceTarget } from '../system/service-target.ts';
import { rateOf } from './stamp-rows.ts';

const by = 'stamps recorded before';

/** Closed-loop callers, and stamps at set times, with a growing number of recorded stamps. */
export const growthStamps: Scenario = {
  name: 'growth-stamps',
  about: 'stamps per second and latency against the number of stamps recorded before',
  async run({ quick, large, progress, startSystem, signal }) {
    const { callers, perSecond, ...plan } = quick ? quickPlan : fullPlan;
    const { connection } = await startSystem();
    const target = serviceTarget(connection);
    await using load = startChild(signal);
    const measured: { readonly x: number; readonly waiting: StampOutcome[]; readonly timed: StampOutcome[] }[] = [];
    let grown = 0;
    // Within the window of idempotent requests.
    const since = Date.now() - 86_400_000;
    progress('warming up');
    if (!quick) await load.run('closed loop', { callers, ...target, warmUpSeconds: 0, seconds: 10 });
    for (const x of [...plan.sizes, ...(large && !quick ? [10_000_000] : [])]) {
      progress(`writing ${(x - grown).toLocaleString('en')} stamps into the stores`);
      const head = await newestBlock(connection.rpcUrl);
      const { user: account, chainId } = target.chain;
      await growStamps(connection.databaseUrl, { account, chainId, head, from: grown, to: x, since }, signal);
      await settleStores(connection.databaseUrl);
      grown = x;
      const point = { x, waiting: [] as StampOutcome[], timed: [] as StampOutcome[] };
      for (let round = 1; round <= plan.rounds; round++) {
        progress(`${x.toLocaleString('en')} stamps, round ${round} of ${plan.rounds}`);
        point.waiting.push(await load.run('closed loop', { callers, ...target, ...plan.closed }));
        point.timed.push(await load.run('open loop', { perSecond, ...target, ...plan.open }));
      }
      measured.push(point);
    }
    const who = `${callers.toLocaleString('en')} callers`;
    const nameOf = (x: number): string => `${x.toLocaleString('en')} ${by}`;
    const [least] = measured;
    return measured.flatMap(({ x, waiting, timed }): Row[] => {
      const beside = (rounds: readonly StampOutcome[] = []) =>
        x === least?.x ? undefined : { what: nameOf(least?.x ?? 0), rounds };
      const latency = ({ latencyMs }: StampOutcome): Quantiles => latencyMs;
      return [
        rateOf(who, waiting, beside(least?.waiting)),
        ...quantileRows(`${who}, %`, waiting, latency, beside(least?.waiting)),
        ...quantileRows(`${perSecond} a second, %`, timed, latency, beside(least?.timed)),
      ].map((row) => ({ ...row, what: `${row.what}, ${nameOf(x)}`, at: { line: row.what, by, x } }));
    });
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
