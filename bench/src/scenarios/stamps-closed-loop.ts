import { startChild } from '../children/child.ts';
import type { StampOutcome } from '../load/stamp-loops.ts';
import { readCpuSeconds } from '../measuring/process-cpu.ts';
import { processesOf, type Used, useDuring, useRows, watchUse } from '../measuring/use.ts';
import { quantileRows } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { addStranger, startCeiling } from '../system/ceiling.ts';
import { serviceTarget } from '../system/service-target.ts';
import { gasRows, rateOf } from './stamp-rows.ts';

/**
 * Callers who each stamp a CID, wait for its receipt and stamp the next. The same callers also use one process that
 * batches in memory (the ceiling), and ethers sends one transaction per stamp. Everything acknowledged is looked up on
 * the chain: a lost, doubled or wrong stamp fails the run.
 */
export const stampsClosedLoop: Scenario = {
  name: 'stamps-closed-loop',
  about: 'callers who wait for each stamp: stamps per second, latency and cost, beside batching in memory, and ethers',
  async run({ quick, progress, startSystem, signal }) {
    const plan = quick ? quickPlan : fullPlan;
    const system = await startSystem();
    progress('starting the baselines');
    await using load = startChild(signal);
    const loadProcess = { name: 'load', pid: () => load.pid };
    await using ceiling = await startCeiling(system.connection.rpcUrl, signal);
    await using use = await watchUse(system, [loadProcess]);
    const chain = processesOf(system).filter(({ name }) => name === 'anvil');
    const readCeiling = () => readCpuSeconds([{ name: 'ceiling', pid: () => ceiling.pid }, ...chain, loadProcess]);
    const stranger = await addStranger(system.connection.rpcUrl);
    const { callers } = plan;
    const service: (StampOutcome & Used)[] = [];
    const inMemory = { what: 'batching in memory', rounds: [] as (StampOutcome & Used)[] };
    const byEthers = { what: 'ethers, a transaction each', rounds: [] as StampOutcome[] };
    for (let round = 1; round <= plan.rounds; round++) {
      const where = `round ${round} of ${plan.rounds}`;
      progress(`${where}: the service`);
      const job = { callers, ...serviceTarget(system.connection), ...plan.service };
      service.push(await useDuring(use.read, (onMark) => load.run('closed loop', job, onMark)));
      progress(`${where}: the ceiling`);
      const jobInMemory = { callers, ...ceiling.target, ...plan.ceiling };
      inMemory.rounds.push(await useDuring(readCeiling, (onMark) => load.run('closed loop', jobInMemory, onMark)));
      progress(`${where}: ethers`);
      byEthers.rounds.push(await load.run('ethers', { ...stranger, ...plan.ethers }));
    }
    const who = `${callers.toLocaleString('en')} callers`;
    return [
      rateOf(`confirmed, ${who}`, service, inMemory),
      rateOf(`confirmed, ${who}`, service, byEthers),
      ...quantileRows(`latency %, ${who}`, service, ({ latencyMs }) => latencyMs, inMemory),
      ...useRows(service, { baseline: inMemory }),
      ...gasRows(service, byEthers),
    ];
  },
};

const fullPlan = {
  ...{ callers: 4_096, rounds: 3 },
  // This many callers move in waves, of several seconds when the service is slow: the time must hold some of them.
  service: { warmUpSeconds: 4, seconds: 16 },
  ceiling: { warmUpSeconds: 1, seconds: 8 },
  // Pools limit the transactions per sender.
  ethers: { stampsPerTransaction: 1, transactionsUnderWay: 1_000, warmUpSeconds: 2, seconds: 5 },
};
const quickPlan: typeof fullPlan = {
  ...{ callers: 8, rounds: 1 },
  service: { warmUpSeconds: 0, seconds: 2 },
  ceiling: { warmUpSeconds: 0, seconds: 2 },
  ethers: { stampsPerTransaction: 1, transactionsUnderWay: 4, warmUpSeconds: 0, seconds: 2 },
};
