import { startChild } from '../children/child.ts';
import type { StampOutcome } from '../load/stamp-loops.ts';
import { readCpuSeconds } from '../measuring/process-cpu.ts';
import { processesOf, type Used, useDuring, useRows, watchUse } from '../measuring/use.ts';
import type { Row, Scenario } from '../scenario.ts';
import { addStranger, startCeiling } from '../system/ceiling.ts';
import { serviceTarget } from '../system/service-target.ts';
import { gasRows, rateOf } from './stamp-rows.ts';

const ceilingName = 'batching in memory';
const ethersName = 'ethers, a transaction each';

/**
 * Callers who each stamp a CID, wait for its receipt and stamp the next. Beside the service the same callers ask one process
 * that batches in memory (the ceiling), and ethers sends a transaction a stamp. Everything acknowledged is looked up on
 * the chain: what is lost, doubled or wrong leaves no result.
 */
export const stampsClosedLoop: Scenario = {
  name: 'stamps-closed-loop',
  about: 'callers who wait for each stamp: stamps per second, latency and cost, beside batching in memory, and ethers',
  async run({ quick, progress, startSystem, signal }) {
    const plan = quick ? quickPlan : fullPlan;
    const system = await startSystem();
    progress('starting the baselines');
    const load = startChild(signal);
    const loadProcess = { name: 'load', pid: () => load.pid };
    const ceiling = await startCeiling(system.connection.rpcUrl, signal);
    const use = await watchUse(system, [loadProcess]);
    const chain = processesOf(system).filter(({ name }) => name === 'anvil');
    const readCeiling = () => readCpuSeconds([{ name: 'ceiling', pid: () => ceiling.pid }, ...chain, loadProcess]);
    try {
      const stranger = await addStranger(system.connection.rpcUrl);
      const { callers } = plan;
      const found = { service: [] as StampOutcome[], ceiling: [] as StampOutcome[], ethers: [] as StampOutcome[] };
      const used = { service: [] as Used[], ceiling: [] as Used[] };
      for (let round = 1; round <= plan.rounds; round++) {
        const where = `round ${round} of ${plan.rounds}`;
        progress(`${where}: the service`);
        const target = serviceTarget(system.connection);
        const own = await useDuring(use.read, (onMark) =>
          load.run('closed loop', { callers, ...target, ...plan.service }, onMark),
        );
        progress(`${where}: the ceiling`);
        const other = await useDuring(readCeiling, (onMark) =>
          load.run('closed loop', { callers, ...ceiling.target, ...plan.ceiling }, onMark),
        );
        progress(`${where}: ethers`);
        found.ethers.push(await load.run('ethers', { ...stranger, ...plan.ethers }));
        found.service.push(own.outcome);
        found.ceiling.push(other.outcome);
        used.service.push(own.used);
        used.ceiling.push(other.used);
      }
      const who = `${callers.toLocaleString('en')} callers`;
      const latencies = (['p50', 'p99'] as const).map((quantile): Row => {
        const of = ({ latencyMs }: StampOutcome): number => latencyMs[quantile];
        const baseline = { what: ceilingName, rounds: found.ceiling.map(of) };
        return { what: `latency ${quantile}, ${who}`, unit: 'ms', rounds: found.service.map(of), baseline };
      });
      return [
        rateOf(`confirmed, ${who}`, found.service, ceilingName, found.ceiling),
        rateOf(`confirmed, ${who}`, found.service, ethersName, found.ethers),
        ...latencies,
        ...useRows(used.service, { baseline: { what: ceilingName, rounds: used.ceiling } }),
        ...gasRows(found.service, ethersName, found.ethers),
      ];
    } finally {
      await Promise.all([load.stop(), ceiling.stop(), use.stop()]);
    }
  },
};

const fullPlan = {
  ...{ callers: 4_096, rounds: 3 },
  // This many callers move in waves, of several seconds when the service is slow: the time must hold some of them.
  service: { warmUpSeconds: 4, seconds: 16 },
  ceiling: { warmUpSeconds: 1, seconds: 8 },
  // A pool takes no more of one sender for ever.
  ethers: { stampsPerTransaction: 1, transactionsUnderWay: 1_000, warmUpSeconds: 2, seconds: 5 },
};
const quickPlan: typeof fullPlan = {
  ...{ callers: 8, rounds: 1 },
  service: { warmUpSeconds: 0, seconds: 2 },
  ceiling: { warmUpSeconds: 0, seconds: 2 },
  ethers: { stampsPerTransaction: 1, transactionsUnderWay: 4, warmUpSeconds: 0, seconds: 2 },
};
