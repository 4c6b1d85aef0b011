import type { Mark } from '../load/jobs.ts';
import { startLoadProcess } from '../load/load-process.ts';
import { requireOpenFiles } from '../load/open-files.ts';
import { readCpuSeconds } from '../measuring/process-cpu.ts';
import { type Readings, useDuring } from '../measuring/use-of-window.ts';
import { watchWrittenBytes } from '../measuring/written-bytes.ts';
import type { Row, Scenario, ScenarioContext } from '../scenario.ts';
import { addStranger, startCeiling } from '../system/ceiling.ts';
import { serviceTarget } from '../system/service-target.ts';
import type { System } from '../system/start-system.ts';
import { type Level, splitUse, stampRows } from './stamp-rows.ts';

/**
 * Callers who each stamp a CID, wait for its receipt and stamp the next. Beside the service the same callers ask one process
 * that batches in memory (the ceiling), and ethers sends a transaction a stamp. Everything acknowledged is looked up on
 * the chain: what is lost, doubled or wrong leaves no result.
 */
export const stampsClosedLoop: Scenario = {
  name: 'stamps-closed-loop',
  about: 'callers who wait for each stamp: stamps per second, latency and cost, beside batching in memory, and ethers',
  async run(context) {
    const { quick, progress } = context;
    const plan = quick ? quickPlan : fullPlan;
    requireOpenFiles(Math.max(...plan.levels.map(({ callers }) => callers)));
    const system = await context.startSystem();
    const levels: Level[] = [];
    await withParts(system, context, async ({ load, service, ceiling, ethers, readUse, readCeilingUse }) => {
      for (const { callers, rounds, service: duration } of plan.levels) {
        const level: Level = { callers, service: [], ceiling: [], ethers: [], used: [], ceilingCpu: [] };
        levels.push(level);
        const job = { kind: 'closed loop', callers } as const;
        for (let round = 1; round <= rounds; round++) {
          const where = `${callers.toLocaleString('en')} callers, round ${round} of ${rounds}`;
          progress(`${where}: the service`);
          const own = await useDuring(readUse, (onMark: (mark: Mark) => void) =>
            load.run({ ...job, ...service, ...duration }, onMark),
          );
          level.service.push(own.outcome);
          level.used.push(splitUse(own.used));
          progress(`${where}: the ceiling`);
          const other = await useDuring(readCeilingUse, (onMark: (mark: Mark) => void) =>
            load.run({ ...job, ...ceiling, ...plan.ceiling }, onMark),
          );
          level.ceiling.push(other.outcome);
          level.ceilingCpu.push(other.used);
          if (callers !== plan.levels.at(-1)?.callers) continue;
          progress(`${where}: ethers`);
          level.ethers.push(await load.run({ kind: 'ethers stamps', ...ethers, ...plan.ethers }));
        }
      }
    });
    return levels.flatMap((level, at): Row[] => stampRows(level, { isLast: at === levels.length - 1 }));
  },
};

type Duration = { readonly warmUpSeconds: number; readonly seconds: number };
type Plan = {
  readonly levels: readonly { readonly callers: number; readonly rounds: number; readonly service: Duration }[];
  readonly ceiling: Duration;
  readonly ethers: Duration & { readonly sendsUnderWay: number };
};

const fullPlan: Plan = {
  levels: [
    { callers: 256, rounds: 1, service: { warmUpSeconds: 3, seconds: 8 } },
    { callers: 1_024, rounds: 1, service: { warmUpSeconds: 2, seconds: 8 } },
    // So many move in waves, of several seconds when the service is slow: some of them are to fit in.
    { callers: 4_096, rounds: 3, service: { warmUpSeconds: 4, seconds: 16 } },
  ],
  ceiling: { warmUpSeconds: 1, seconds: 8 },
  ethers: { sendsUnderWay: 32, warmUpSeconds: 2, seconds: 5 },
};
const quickPlan: Plan = {
  levels: [{ callers: 8, rounds: 1, service: { warmUpSeconds: 0, seconds: 2 } }],
  ceiling: { warmUpSeconds: 0, seconds: 2 },
  ethers: { sendsUnderWay: 4, warmUpSeconds: 0, seconds: 2 },
};

/** Starts what is measured beside the service, and stops it. */
async function withParts(
  system: System,
  { signal, progress }: ScenarioContext,
  work: (parts: Awaited<ReturnType<typeof createParts>>) => Promise<void>,
): Promise<void> {
  progress('starting the baselines');
  const parts = await createParts(system, signal);
  try {
    await work(parts);
  } finally {
    await parts.stop();
  }
}

async function createParts(system: System, signal: AbortSignal) {
  const { rpcUrl, databaseUrl } = system.connection;
  const begun: { stop(): Promise<void> }[] = [];
  const stop = async (): Promise<void> => {
    for (let part = begun.pop(); part !== undefined; part = begun.pop()) await part.stop();
  };
  try {
    const load = startLoadProcess(signal);
    begun.push(load);
    const bytes = await watchWrittenBytes({ databaseUrl, kafkaDirectory: system.kafkaDirectory });
    begun.push({ stop: bytes.close });
    const ethers = await addStranger(rpcUrl);
    const ceiling = await startCeiling(rpcUrl, signal);
    begun.push(ceiling);
    // The registry is asked once a schema, when a service starts.
    const servers = system.servers.flatMap(({ name, pid }) => (name === 'registry' ? [] : [{ name, pid: () => pid }]));
    const chain = servers.filter(({ name }) => name === 'anvil');
    const own = [...Object.values(system.services), ...servers, { name: 'load', pid: () => load.pid }];
    const others = [{ name: 'ceiling', pid: () => ceiling.pid }, ...chain, { name: 'load', pid: () => load.pid }];
    return {
      ...{ load, ethers, stop },
      service: serviceTarget(system.connection),
      ceiling: { rootUrl: ceiling.url, apiKey: 'none', chain: ceiling.chain },
      async readUse(): Promise<Readings> {
        const [cpu, written] = await Promise.all([readCpuSeconds(own), bytes.read()]);
        return new Map([...cpu, ...written]);
      },
      readCeilingUse: () => readCpuSeconds(others),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
