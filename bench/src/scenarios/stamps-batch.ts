import { startChild } from '../children/child.ts';
import type { StampOutcome } from '../load/stamp-loops.ts';
import { readCpuSeconds } from '../measuring/process-cpu.ts';
import { processesOf, type Used, useDuring, useRows, watchUse } from '../measuring/use.ts';
import { quantileRows } from '../rows.ts';
import type { Row, Scenario } from '../scenario.ts';
import { addStranger } from '../system/ceiling.ts';
import { serviceTarget } from '../system/service-target.ts';
import { gasRows, rateOf } from './stamp-rows.ts';

/**
 * Lines of POST /stamps/batch with a fresh CID each, answered `created` in the measured seconds. In turns, ethers sends
 * batches through the same contract. Everything acknowledged is looked up on the chain.
 */
export const stampsBatch: Scenario = {
  name: 'stamps-batch',
  about: 'stamps through the batch input: confirmed a second, and what one costs, beside pipelined batches by ethers',
  async run({ quick, progress, startSystem, signal }) {
    const plan = quick ? quickPlan : fullPlan;
    const system = await startSystem();
    await using load = startChild(signal);
    await using ethers = startChild(signal);
    await using use = await watchUse(system, [{ name: 'load', pid: () => load.pid }]);
    const chain = processesOf(system).filter(({ name }) => name === 'anvil');
    const readEthers = () => readCpuSeconds([...chain, { name: 'load', pid: () => ethers.pid }]);
    const stranger = await addStranger(system.connection.rpcUrl);
    const levels = plan.levels.map((size) => ({ size, service: [] as Round[], ethers: [] as Round[] }));
    for (let round = 1; round <= plan.rounds; round++)
      for (const level of levels) {
        const where = `${nameOf(level.size)}, round ${round} of ${plan.rounds}`;
        progress(`${where}: the service`);
        const job = { ...level.size, linesUnderWay, ...serviceTarget(system.connection), ...plan.service };
        level.service.push(await useDuring(use.read, (onMark) => load.run('stamp batches', job, onMark)));
        progress(`${where}: ethers`);
        const jobOfEthers = { ...stranger, ...plan.ethers };
        level.ethers.push(await useDuring(readEthers, (onMark) => ethers.run('ethers', jobOfEthers, onMark)));
      }
    return levels.flatMap(({ size, service, ethers: rounds }, level): Row[] => {
      const baseline = { what: 'ethers, pipelined batches of 1,000', rounds };
      const isLast = level === levels.length - 1;
      return [
        rateOf(`confirmed, ${nameOf(size)}`, service, baseline),
        // About the lines in flight divided by the service's speed.
        ...quantileRows(`line to result %, ${nameOf(size)}`, service, ({ latencyMs }) => latencyMs),
        ...(isLast ? [...useRows(service, { baseline }), ...gasRows(service, baseline)] : []),
      ];
    });
  },
};

/**
 * Lines that wait for results, over all connections: far more than two seconds' stamps, so that they do not limit the
 * measurement, and few enough that a slow machine (600 a second) still answers each within the wait limit.
 */
const linesUnderWay = 16_000;

type Round = StampOutcome & Used;
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
