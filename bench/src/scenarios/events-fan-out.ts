import { cidOfCollectionName } from '@indelible/identifiers';
import { startLoadProcess } from '../load/load-process.ts';
import { requireOpenFiles } from '../load/open-files.ts';
import type { Collection } from '../load/stamp-jobs.ts';
import { watchMemory } from '../measuring/process-memory.ts';
import type { Row, Scenario } from '../scenario.ts';
import { type ClientsReading, openEventClients } from '../system/event-clients.ts';
import { openEventLog } from '../system/event-log.ts';
import { makeCollection } from '../system/make-collection.ts';
import { serviceTarget } from '../system/service-target.ts';

/**
 * Clients of GET /events, each of a collection, and ordered webhooks of some of them, while stamps go into all of these collections at set
 * times. Each client and each webhook must have had each event of its collection, once and in order. Memory is beside what the same load takes
 * without them.
 */
export const eventsFanOut: Scenario = {
  name: 'events-fan-out',
  about: 'streams and webhooks, a collection each, while stamps come: how late their events are, and memory',
  async run({ quick, progress, startSystem, signal }) {
    const plan = quick ? quickPlan : fullPlan;
    requireOpenFiles(Math.max(plan.streams, plan.perSecond));
    const system = await startSystem({
      environment: { notifications: { ACCOUNT_WEBHOOKS: String(plan.webhooks) } },
    });
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
      if (!quick) {
        progress('warming up');
        await stamp();
      }
      const readings: ClientsReading[] = [];
      const memory = new Map<string, Grown>(watched.map(({ name }) => [name, { without: [], with: [] }]));
      for (let round = 1; round <= plan.rounds; round++) {
        const { during } = await watchMemory(watched);
        progress(`round ${round} of ${plan.rounds}: nobody listens`);
        for (const { name, megabytes } of await during(async () => void (await stamp())))
          memory.get(name)?.without.push(megabytes);
        progress(`round ${round} of ${plan.rounds}: ${plan.streams} streams, ${plan.webhooks} webhooks`);
        const listened = await during(async () => {
          const cids = collections.map(({ setCid }) => setCid);
          const listeners = { streams: cids, webhooks: cids.slice(0, plan.webhooks) };
          const clients = await openEventClients(system, log, listeners, signal);
          try {
            const before = await log.confirmedStamps();
            await stamp();
            readings.push(await clients.untilAllCame((await log.confirmedStamps()) - before, signal));
          } finally {
            await clients.stop();
          }
        });
        for (const { name, megabytes } of listened) memory.get(name)?.with.push(megabytes);
      }
      return [
        ...(['streams', 'webhooks'] as const).flatMap((kind) =>
          (['p50', 'p99'] as const).map((quantile): Row => {
            const rounds = readings.map((reading) => reading[kind].lateMs?.[quantile] ?? Number.NaN);
            return { what: `${kind}: event after confirmation, ${quantile}`, unit: 'ms', rounds };
          }),
        ),
        ...[...memory].map(([name, grown]): Row => {
          const baseline = { what: 'nobody listens', rounds: grown.without };
          return {
            what: `${name} grows, ${plan.streams} streams and ${plan.webhooks} webhooks`,
            unit: 'MB',
            rounds: grown.with,
            baseline,
          };
        }),
      ];
    } finally {
      await Promise.all([load.stop(), log.close()]);
    }
  },
};

type Grown = { readonly without: number[]; readonly with: number[] };

const collectionsAtOnce = 100;
/** More is not carried by two cores that carry the servers, the chain and all clients as well. */
const fullPlan = {
  rounds: 2,
  streams: 1_000,
  webhooks: 100,
  perSecond: 400,
  load: { warmUpSeconds: 2, seconds: 15 },
};
const quickPlan: typeof fullPlan = {
  ...{ rounds: 1, streams: 5, webhooks: 2, perSecond: 20 },
  load: { warmUpSeconds: 0, seconds: 2 },
};
