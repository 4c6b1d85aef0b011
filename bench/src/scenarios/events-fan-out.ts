import { cidOfCollectionName } from '@indelible/identifiers';
import { startLoadProcess } from '../load/load-process.ts';
import { requireOpenFiles } from '../load/open-files.ts';
import type { Collection } from '../load/stamp-jobs.ts';
import { watchMemory } from '../measuring/process-memory.ts';
import type { Row, Scenario } from '../scenario.ts';
import { openEventLog } from '../system/event-log.ts';
import { openEventStreams, type StreamsReading } from '../system/event-streams.ts';
import { makeCollection } from '../system/make-collection.ts';
import { serviceTarget } from '../system/service-target.ts';

/**
 * Clients of GET /events, each of a collection, while stamps go into all of these collections at set times. Each client must have had each
 * event of its collection, once and in order. Memory is beside what the same load takes without a client.
 */
export const eventsFanOut: Scenario = {
  name: 'events-fan-out',
  about: 'streams of events, a collection each, while stamps come: how late their events are, and memory',
  async run({ quick, progress, startSystem, signal }) {
    const plan = quick ? quickPlan : fullPlan;
    requireOpenFiles(Math.max(plan.streams, plan.perSecond));
    const system = await startSystem();
    const { connection, services } = system;
    const log = await openEventLog(connection.databaseUrl);
    const load = startLoadProcess(signal);
    const watched = [services.gateway, services.notifications];
    const collections = Array.from({ length: plan.streams }, (_, at): Collection => {
      const name = `fan-out ${at}`;
      return { name, setCid: cidOfCollectionName(name) };
    });
    const stamp = () =>
      load.run({
        ...{ kind: 'open loop', perSecond: plan.perSecond, collections },
        ...{ ...serviceTarget(connection), ...plan.load },
      });
    try {
      progress(`making ${plan.streams} collections`);
      const appended = await log.appended();
      for (let at = 0; at < collections.length; at += collectionsAtOnce)
        await Promise.all(
          collections.slice(at, at + collectionsAtOnce).map(({ name }) => makeCollection(connection, name, signal)),
        );
      await log.untilPublished(appended + collections.length, signal);
      progress('warming up');
      await stamp();
      const late: StreamsReading[] = [];
      const memory = new Map<string, Grown>(watched.map(({ name }) => [name, { without: [], with: [] }]));
      for (let round = 1; round <= plan.rounds; round++) {
        const { during } = await watchMemory(watched);
        progress(`round ${round} of ${plan.rounds}: nobody listens`);
        for (const { name, megabytes } of await during(async () => void (await stamp())))
          memory.get(name)?.without.push(megabytes);
        progress(`round ${round} of ${plan.rounds}: ${plan.streams} streams`);
        const listened = await during(async () => {
          const streams = await openEventStreams(
            system,
            log,
            collections.map(({ setCid }) => setCid),
            signal,
          );
          try {
            const before = await log.confirmedStamps();
            await stamp();
            late.push(await streams.untilAllCame((await log.confirmedStamps()) - before, signal));
          } finally {
            await streams.stop();
          }
        });
        for (const { name, megabytes } of listened) memory.get(name)?.with.push(megabytes);
      }
      return [
        ...(['p50', 'p99'] as const).map((quantile): Row => {
          const rounds = late.map(({ lateMs }) => lateMs?.[quantile] ?? Number.NaN);
          return { what: `event at a client after confirmation, ${quantile}`, unit: 'ms', rounds };
        }),
        ...[...memory].map(([name, grown]): Row => {
          const baseline = { what: 'nobody listens', rounds: grown.without };
          return { what: `${name} grows, ${plan.streams} streams`, unit: 'MB', rounds: grown.with, baseline };
        }),
      ];
    } finally {
      await Promise.all([load.stop(), log.close()]);
    }
  },
};

type Grown = { readonly without: number[]; readonly with: number[] };

const collectionsAtOnce = 100;
const fullPlan = { rounds: 2, streams: 1_000, perSecond: 1_000, load: { warmUpSeconds: 2, seconds: 15 } };
const quickPlan: typeof fullPlan = {
  ...{ rounds: 1, streams: 5, perSecond: 20 },
  load: { warmUpSeconds: 0, seconds: 2 },
};
