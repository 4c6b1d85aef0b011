import { startLoadProcess } from '../load/load-process.ts';
import type { ClosedLoopOutcome } from '../load/stamp-jobs.ts';
import { readCpuSeconds } from '../measuring/process-cpu.ts';
import { type Readings, useDuring } from '../measuring/use-of-window.ts';
import { watchWrittenBytes } from '../measuring/written-bytes.ts';
import type { Row, Scenario } from '../scenario.ts';
import { addStranger } from '../system/ceiling.ts';
import { serviceTarget } from '../system/service-target.ts';
import { linesUnderWay } from './lines-under-way.ts';
import { costRows, cpuRows, type Level, splitUse } from './stamp-rows.ts';

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
    const { connection, services, servers, kafkaDirectory } = system;
    const { databaseUrl, rpcUrl } = connection;
    const load = startLoadProcess(signal);
    const ethers = startLoadProcess(signal);
    const bytes = await watchWrittenBytes({ databaseUrl, kafkaDirectory });
    try {
      const stranger = await addStranger(rpcUrl);
      const target = serviceTarget(connection);
      // The registry is asked once a schema, when a service starts.
      const others = servers.flatMap(({ name, pid }) => (name === 'registry' ? [] : [{ name, pid: () => pid }]));
      const own = [...Object.values(services), ...others, { name: 'load', pid: () => load.pid }];
      const chain = others.filter(({ name }) => name === 'anvil');
      const readUse = async (): Promise<Readings> => {
        const [cpu, written] = await Promise.all([readCpuSeconds(own), bytes.read()]);
        return new Map([...cpu, ...written]);
      };
      const readEthersUse = () => readCpuSeconds([...chain, { name: 'load', pid: () => ethers.pid }]);
      const levels = plan.levels.map((level) => ({
        ...level,
        ...({ service: [], ceiling: [], ethers: [], used: [], ceilingCpu: [] } as Omit<Level, 'callers'>),
      }));
      for (let round = 1; round <= plan.rounds; round++)
        for (const level of levels) {
          const where = `${connectionsOf(level)}, round ${round} of ${plan.rounds}`;
          const { connections, linesPerBatch } = level;
          progress(`${where}: the service`);
          const served = await useDuring(readUse, (onMark) =>
            load.run(
              { kind: 'stamp batches', connections, linesPerBatch, linesUnderWay, ...target, ...plan.service },
              onMark,
            ),
          );
          level.service.push(served.outcome);
          level.used.push(splitUse(served.used));
          progress(`${where}: ethers`);
          const sent = await useDuring(readEthersUse, (onMark) =>
            ethers.run({ kind: 'ethers batches', ...stranger, ...plan.ethers }, onMark),
          );
          level.ceiling.push(sent.outcome);
          level.ethers.push(sent.outcome);
          level.ceilingCpu.push(sent.used);
        }
      const rates = levels.flatMap((level) => [rateOf(level), ...latenciesOf(level)]);
      const last = levels.at(-1);
      return last === undefined ? rates : [...rates, ...cpuRows(last, ethersName), ...costRows(last, ethersName)];
    } finally {
      await Promise.all([load.stop(), ethers.stop(), bytes.close()]);
    }
  },
};

type Size = { readonly connections: number; readonly linesPerBatch: number };
type Measured = Size & Pick<Level, 'service' | 'ceiling'>;

const connectionsOf = ({ connections, linesPerBatch }: Size): string =>
  `${connections === 1 ? '1 connection' : `${connections} connections`}, ${linesPerBatch.toLocaleString('en')} lines a batch`;

const roundsOf = (outcomes: readonly ClosedLoopOutcome[], of: (outcome: ClosedLoopOutcome) => number): number[] =>
  outcomes.map(of);

function rateOf(level: Measured): Row {
  const perSecond = ({ stampsPerSecond }: ClosedLoopOutcome): number => stampsPerSecond;
  return {
    ...{ what: `confirmed, ${connectionsOf(level)}`, unit: 'stamps/s', rounds: roundsOf(level.service, perSecond) },
    baseline: { what: ethersName, rounds: roundsOf(level.ceiling, perSecond) },
    reach: { ratioAtLeast: 1.5 },
  };
}

/** With as many lines under way as there are, it is about their number by the service's speed. */
const latenciesOf = (level: Measured): Row[] =>
  (['p50', 'p99'] as const).map((quantile) => ({
    ...{ what: `line to result ${quantile}, ${connectionsOf(level)}`, unit: 'ms' },
    rounds: roundsOf(level.service, ({ latencyMs }) => latencyMs[quantile]),
  }));

const fullPlan = {
  rounds: 3,
  levels: [
    { connections: 1, linesPerBatch: 100_000 },
    { connections: 4, linesPerBatch: 20_000 },
  ],
  service: { warmUpSeconds: 3, seconds: 8 },
  ethers: { stampsPerBatch: 1_000, batchesUnderWay: 8, warmUpSeconds: 1, seconds: 5 },
};
const quickPlan = {
  rounds: 1,
  levels: [{ connections: 2, linesPerBatch: 500 }],
  service: { warmUpSeconds: 0, seconds: 2 },
  ethers: { stampsPerBatch: 50, batchesUnderWay: 2, warmUpSeconds: 0, seconds: 3 },
};
