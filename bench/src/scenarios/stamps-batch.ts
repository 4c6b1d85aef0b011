import { startChild } from '../children/child.ts';
import type { StampOutcome } from '../load/stamp-loops.ts';
import { readCpuSeconds } from '../measuring/process-cpu.ts';
import { processesOf, type Used, useDuring, useRows, watchUse } from '../measuring/use.ts';
import type { Row, Scenario } from '../scenario.ts';
import { addStranger } from '../system/ceiling.ts';
import { serviceTarget } from '../system/service-target.ts';
import { gasRows, rateOf, roundsOf } from './stamp-rows.ts';

const ethersName = 'ethers, pipelined batches of 1,000';

/**
 * Lines of POST /stamps/batch with a fresh CID each, answered `created` in the measured seconds. In turns with it ethers sends
 * batches through the same contract. Everything acknowledged is looked up on the chain.
 */
export const stampsBatch: Scenario = {
  name: 'stamps-batch',
  about: 'stamps through the batch input: confirmed a second, and what one costs, beside pipelined batches by ethers',
  async run({ quick, progress, startSystem, signal }) {
    const plan = quick ? quickPlan : fullPlan;
    const system = await startSystem();
    const [load, ethers] = [startChild(signal), startChild(signal)];
    const use = await watchUse(system, [{ name: 'load', pid: () => load.pid }]);
    const chain = processesOf(system).filter(({ name }) => name === 'anvil');
    const readEthers = () => readCpuSeconds([...chain, { name: 'load', pid: () => ethers.pid }]);
    try {
      const stranger = await addStranger(system.connection.rpcUrl);
      const levels = plan.levels.map((size) => ({
        ...{ size, service: [] as StampOutcome[], ethers: [] as StampOutcome[] },
        ...{ used: [] as Used[], usedByEthers: [] as Used[] },
      }));
      for (let round = 1; round <= plan.rounds; round++)
        for (const level of levels) {
          const where = `${nameOf(level.size)}, round ${round} of ${plan.rounds}`;
          progress(`${where}: the service`);
          const job = { ...level.size, linesUnderWay, ...serviceTarget(system.connection), ...plan.service };
          const served = await useDuring(use.read, (onMark) => load.run('stamp batches', job, onMark));
          progress(`${where}: ethers`);
          const sent = await useDuring(readEthers, (onMark) =>
            ethers.run('ethers', { ...stranger, ...plan.ethers }, onMark),
          );
          level.service.push(served.outcome);
          level.ethers.push(sent.outcome);
          level.used.push(served.used);
          level.usedByEthers.push(sent.used);
        }
      const rates = levels.flatMap(({ size, service, ethers: sent }): Row[] => [
        rateOf(`confirmed, ${nameOf(size)}`, service, ethersName, sent),
        // About the number of lines in flight by the service's speed.
        ...(['p50', 'p99'] as const).map((quantile): Row => {
          const rounds = roundsOf(service, ({ latencyMs }) => latencyMs[quantile]);
          return { what: `line to result ${quantile}, ${nameOf(size)}`, unit: 'ms', rounds };
        }),
      ]);
      const last = levels.at(-1);
      if (last === undefined) return rates;
      const costs = useRows(last.used, { baseline: { what: ethersName, rounds: last.usedByEthers } });
      return [...rates, ...costs, ...gasRows(last.service, ethersName, last.ethers)];
    } finally {
      await Promise.all([load.stop(), ethers.stop(), use.stop()]);
    }
  },
};

/**
 * Lines of batches that wait for their results, of all connections together: far more than two seconds' stamps, so that they do
 * not bound what is measured, and few enough that a slow machine, at 600 a second, still answers each within the wait limit.
 */
const linesUnderWay = 16_000;

type Size = { readonly connections: number; readonly linesPerBatch: number };

const nameOf = ({ connections, linesPerBatch }: Size): string =>
  `${connections === 1 ? '1 connection' : `${connections} connections`}, ${linesPerBatch.toLocaleString('en')} lines a batch`;

const fullPlan = {
  rounds: 3,
  levels: [
    { connections: 1, linesPerBatch: 100_000 },
    { connections: 4, linesPerBatch: 20_000 },
  ],
  service: { warmUpSeconds: 3, seconds: 8 },
  ethers: { stampsPerTransaction: 1_000, transactionsUnderWay: 8, warmUpSeconds: 1, seconds: 5 },
};
const quickPlan: typeof fullPlan = {
  rounds: 1,
  levels: [{ connections: 2, linesPerBatch: 500 }],
  service: { warmUpSeconds: 0, seconds: 2 },
  ethers: { stampsPerTransaction: 50, transactionsUnderWay: 2, warmUpSeconds: 0, seconds: 3 },
};
