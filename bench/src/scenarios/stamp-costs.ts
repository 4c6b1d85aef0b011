import { startLoadProcess } from '../load/load-process.ts';
import type { OpenLoopJob, StampBatchesJob } from '../load/stamp-jobs.ts';
import { watchDatabaseWork } from '../measuring/database-work.ts';
import { readKafkaLogs } from '../measuring/kafka-logs.ts';
import { readCpuSeconds } from '../measuring/process-cpu.ts';
import type { Readings } from '../measuring/use-of-window.ts';
import type { Row, Scenario } from '../scenario.ts';
import { openEventLog } from '../system/event-log.ts';
import { serviceTarget } from '../system/service-target.ts';
import { type CostLevel, stampCostRows } from './stamp-cost-rows.ts';

/**
 * What a stamp without content costs until it is final and its public events are published, counted rather than timed: statements, bytes,
 * records and batches hardly depend on the machine, so that `--hold` can hold them. Beside them CPU, which does.
 */
export const stampCosts: Scenario = {
  name: 'stamp-costs',
  about: 'what a stamp costs: statements, WAL, records in Kafka, disk, CPU by process',
  async run({ quick, progress, startSystem, signal }) {
    const plan = quick ? quickPlan : fullPlan;
    const system = await startSystem({ countsStatements: true });
    const { connection, services, servers, kafkaDirectory } = system;
    const others = servers.flatMap(({ name, pid }) => (name === 'registry' ? [] : [{ name, pid: () => pid }]));
    const log = await openEventLog(connection.databaseUrl);
    const database = await watchDatabaseWork(connection.databaseUrl);
    const load = startLoadProcess(signal);
    const read = async (): Promise<Readings> => {
      const [cpu, work] = await Promise.all([readCpuSeconds([...Object.values(services), ...others]), database.read()]);
      const logs = kafkaDirectory === undefined ? undefined : await readKafkaLogs(kafkaDirectory);
      const counts = Object.entries({ ...work, ...logs }).filter(
        (entry): entry is [string, number] => entry[1] !== undefined,
      );
      return new Map([...cpu, ...counts]);
    };
    try {
      const [events, stamped] = [await log.appended(), await log.confirmedStamps()];
      const untilPublished = async (): Promise<void> =>
        log.untilPublished(events + plan.eventsPerStamp * ((await log.confirmedStamps()) - stamped), signal);
      const levels: CostLevel[] = plan.loads.map(({ name, atMost }) => ({ name, atMost, rounds: [] }));
      for (let round = 0; round <= plan.rounds; round++)
        for (const [at, { name, load: job }] of plan.loads.entries()) {
          progress(round === 0 ? `${name}: warming up` : `${name}: round ${round} of ${plan.rounds}`);
          const [before, confirmed] = [await read(), await log.confirmedStamps()];
          await load.run({ ...job, ...serviceTarget(connection), ...plan.duration });
          await untilPublished();
          const [after, stamps] = [await read(), (await log.confirmedStamps()) - confirmed];
          if (round === 0) continue;
          const used = [...after].map(([of, value]) => [of, value - (before.get(of) ?? 0)] as const);
          levels[at]?.rounds.push({ stamps, used: new Map(used) });
        }
      return levels.flatMap((level): Row[] => stampCostRows(level));
    } finally {
      await Promise.all([load.stop(), log.close(), database.close()]);
    }
  },
};

type Load =
  | Pick<OpenLoopJob, 'kind' | 'perSecond'>
  | Pick<StampBatchesJob, 'kind' | 'connections' | 'linesPerBatch' | 'linesUnderWay'>;
type Plan = {
  readonly rounds: number;
  readonly loads: readonly { readonly name: string; readonly load: Load; readonly atMost: CostLevel['atMost'] }[];
  /** Which of a stamp's events are waited for: with three also the one of finality. */
  readonly eventsPerStamp: number;
  readonly duration: { readonly warmUpSeconds: number; readonly seconds: number };
};

const fullPlan: Plan = {
  rounds: 1,
  loads: [
    {
      name: '200 a second',
      load: { kind: 'open loop', perSecond: 200 },
      atMost: { walBytes: 10_000, walRecords: 55, bytes: 4_200, statements: 10, batches: 2.5 },
    },
    {
      name: 'batch input',
      load: { kind: 'stamp batches', connections: 1, linesPerBatch: 10_000, linesUnderWay: 2_000 },
      atMost: { walBytes: 9_300, walRecords: 50, bytes: 3_500, statements: 0.4, batches: 0.15 },
    },
  ],
  ...{ eventsPerStamp: 3, duration: { warmUpSeconds: 0, seconds: 10 } },
};
const quickPlan: Plan = {
  rounds: 1,
  loads: fullPlan.loads.map(({ name, load }) =>
    load.kind === 'open loop'
      ? { name, load: { ...load, perSecond: 10 }, atMost: {} }
      : { name, load: { ...load, linesPerBatch: 100 }, atMost: {} },
  ),
  ...{ eventsPerStamp: 2, duration: { warmUpSeconds: 0, seconds: 2 } },
};
