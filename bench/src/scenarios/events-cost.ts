import { setTimeout as delay } from 'node:timers/promises';
import { startLoadProcess } from '../load/load-process.ts';
import { requireOpenFiles } from '../load/open-files.ts';
import type { ClosedLoopJob, ClosedLoopOutcome, OpenLoopJob, OpenLoopOutcome } from '../load/stamp-jobs.ts';
import { readCpuSeconds } from '../measuring/process-cpu.ts';
import type { Readings } from '../measuring/use-of-window.ts';
import { watchWrittenBytes } from '../measuring/written-bytes.ts';
import type { Scenario } from '../scenario.ts';
import { openEventLog } from '../system/event-log.ts';
import { pausing } from '../system/pausing.ts';
import { serviceTarget } from '../system/service-target.ts';
import { costRows, type EventRound, paceRows } from './event-rows.ts';

type Load = Pick<ClosedLoopJob, 'kind' | 'callers'> | Pick<OpenLoopJob, 'kind' | 'perSecond'>;

/**
 * The same load while notifications runs and while it is paused, in turns. What a stamp costs counts until its events are published,
 * and as long without them; what came while it was paused is published before the next round.
 */
export const eventsCost: Scenario = {
  name: 'events-cost',
  about: 'stamps with public events beside stamps without: confirmed a second, latency, CPU and bytes written',
  async run({ quick, progress, startSystem, signal }) {
    const plan = quick ? quickPlan : fullPlan;
    requireOpenFiles(plan.most);
    const system = await startSystem();
    const { connection, services, servers, kafkaDirectory } = system;
    const others = servers.flatMap(({ name, pid }) => (name === 'registry' ? [] : [{ name, pid: () => pid }]));
    const log = await openEventLog(connection.databaseUrl);
    const bytes = await watchWrittenBytes({ databaseUrl: connection.databaseUrl, kafkaDirectory });
    const load = startLoadProcess(signal);
    const read = async (): Promise<Readings> =>
      new Map([...(await readCpuSeconds([...Object.values(services), ...others])), ...(await bytes.read())]);
    const stamp = (of: Load): Promise<ClosedLoopOutcome | OpenLoopOutcome> =>
      load.run({ ...of, ...serviceTarget(connection), ...plan.duration });

    /** @param settle what is done when all is answered, within the time that counts */
    const measure = async (of: Load, settle: () => Promise<void>): Promise<EventRound> => {
      const [confirmed, before] = [await log.confirmedStamps(), await read()];
      const outcome = await stamp(of);
      const stamps = (await log.confirmedStamps()) - confirmed;
      await settle();
      const after = await read();
      return { outcome, stamps, used: new Map([...after].map(([name, n]) => [name, n - (before.get(name) ?? 0)])) };
    };
    try {
      const [events, stamped] = [await log.appended(), await log.confirmedStamps()];
      const untilPublished = async (): Promise<void> =>
        log.untilPublished(events + plan.eventsPerStamp * ((await log.confirmedStamps()) - stamped), signal);
      if (!quick) {
        progress('warming up');
        await stamp(plan.loads[0]);
      }
      const levels = plan.loads.map((of) => ({ of, with: [] as EventRound[], without: [] as EventRound[] }));
      for (let round = 1; round <= plan.rounds; round++)
        for (const level of levels) {
          const where = `${level.of.kind}, round ${round} of ${plan.rounds}`;
          await untilPublished();
          progress(`${where}: with events`);
          let settledMs = 0;
          const withEvents = await measure(level.of, async () => {
            const began = performance.now();
            await untilPublished();
            settledMs = performance.now() - began;
          });
          progress(`${where}: without`);
          const without = await pausing(system, ['notifications'], (pause) => {
            pause();
            return measure(level.of, () => delay(settledMs, undefined, { signal }));
          });
          level.with.push(withEvents);
          level.without.push(without);
        }
      const [first] = levels;
      return [...levels.flatMap(paceRows), ...(first === undefined ? [] : costRows(first))];
    } finally {
      await Promise.all([load.stop(), log.close(), bytes.close()]);
    }
  },
};

type Plan = {
  readonly rounds: number;
  /** What a stamp costs is of the first. */
  readonly loads: readonly [Load, ...Load[]];
  /** Which of a stamp's events are waited for: with three also the one of finality. */
  readonly eventsPerStamp: number;
  readonly most: number;
  readonly duration: { readonly warmUpSeconds: number; readonly seconds: number };
};
const fullPlan: Plan = {
  rounds: 5,
  loads: [
    { kind: 'open loop', perSecond: 300 },
    { kind: 'closed loop', callers: 4_096 },
  ],
  ...{ eventsPerStamp: 3, most: 4_096, duration: { warmUpSeconds: 3, seconds: 12 } },
};
const quickPlan: Plan = {
  rounds: 1,
  loads: [
    { kind: 'open loop', perSecond: 20 },
    { kind: 'closed loop', callers: 8 },
  ],
  ...{ eventsPerStamp: 2, most: 100, duration: { warmUpSeconds: 0, seconds: 2 } },
};
