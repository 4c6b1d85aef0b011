import { cidOfCollectionName } from '@indelible/identifiers';
import { startLoadProcess } from '../load/load-process.ts';
import { requireOpenFiles } from '../load/open-files.ts';
import type { Collection } from '../load/stamp-jobs.ts';
import { watchMemory } from '../measuring/process-memory.ts';
import type { Row, Scenario } from '../scenario.ts';
import { type ClientsReading, openEventClients } from '../system/event-clients.ts';
import { openEventLog } from '../system/event-log.ts';
import { makeCollection } from '../system/make-collection.ts';
import { openAccounts } from '../system/open-accounts.ts';
import { serviceTarget } from '../system/service-target.ts';

/**
 * Clients of GET /events of several accounts, each of a collection, and ordered webhooks of some of them, while stamps go into all of these
 * collections at set times. Each client and each webhook must have had each event of its collection, once and in order. Memory is beside what
 * the same load takes without them, and bounded.
 */
export const eventsFanOut: Scenario = {
  name: 'events-fan-out',
  about:
    'streams and webhooks of several accounts, a collection each, while stamps come: how late events are, and memory',
  async run({ quick, progress, startSystem, signal }) {
    const plan = quick ? quickPlan : fullPlan;
    requireOpenFiles(Math.max(plan.streams, plan.perSecond));
    const system = await startSystem({
      environment: { notifications: { ACCOUNT_WEBHOOKS: String(plan.webhooks / plan.accounts) } },
    });
    const { services } = system;
    const log = await openEventLog(system.connection.databaseUrl);
    const watched = [services.gateway, services.notifications];
    const collections = Array.from({ length: plan.streams / plan.accounts }, (_, at): Collection => {
      const name = `fan-out ${at}`;
      return { name, setCid: cidOfCollectionName(name) };
    });
    const cids = collections.map(({ setCid }) => setCid);
    const listeners = { streams: cids, webhooks: cids.slice(0, plan.webhooks / plan.accounts) };
    progress(`opening ${plan.accounts} accounts`);
    const accounts = (await openAccounts(system, plan.accounts, signal)).map((account) => ({
      ...account,
      load: startLoadProcess(signal),
    }));
    const ofEach = <Result>(work: (account: (typeof accounts)[number]) => Promise<Result>): Promise<Result[]> =>
      Promise.all(accounts.map(work));
    const stamp = () =>
      ofEach(({ load, connection }) =>
        load.run({
          ...{ kind: 'open loop', perSecond: plan.perSecond / plan.accounts, collections },
          ...{ ...serviceTarget(connection), ...plan.load },
        }),
      );
    /** All clients of all accounts, until each has had everything. */
    const listen = async (): Promise<ClientsReading[]> => {
      const listening = await ofEach(async (account) => ({
        account: account.connection.userAddress,
        clients: await openEventClients(account, log, listeners, signal),
      }));
      try {
        const before = await Promise.all(listening.map(({ account }) => log.confirmedStamps(account)));
        await stamp();
        return await Promise.all(
          listening.map(async ({ account, clients }, at) =>
            clients.untilAllCame((await log.confirmedStamps(account)) - (before[at] as number), signal),
          ),
        );
      } finally {
        await Promise.all(listening.map(({ clients }) => clients.stop()));
      }
    };
    try {
      progress(`making ${plan.streams} collections`);
      const appended = await log.appended();
      await ofEach(async ({ connection }) => {
        for (let at = 0; at < collections.length; at += collectionsAtOnce)
          await Promise.all(
            collections.slice(at, at + collectionsAtOnce).map(({ name }) => makeCollection(connection, name, signal)),
          );
      });
      await log.untilPublished(appended + plan.streams * eventsPerCollection, signal);
      if (!quick) {
        progress('warming up');
        await stamp();
      }
      const readings: ClientsReading[][] = [];
      const memory = new Map<string, Grown>(watched.map(({ name }) => [name, { without: [], with: [] }]));
      for (let round = 1; round <= plan.rounds; round++) {
        const { during } = await watchMemory(watched);
        progress(`round ${round} of ${plan.rounds}: nobody listens`);
        for (const { name, megabytes } of await during(async () => void (await stamp())))
          memory.get(name)?.without.push(megabytes);
        progress(`round ${round} of ${plan.rounds}: ${plan.streams} streams, ${plan.webhooks} webhooks`);
        for (const { name, megabytes } of await during(async () => void readings.push(await listen())))
          memory.get(name)?.with.push(megabytes);
      }
      return [
        ...(['streams', 'webhooks'] as const).flatMap((kind) =>
          (['p50', 'p99'] as const).map((quantile): Row => {
            const slowest = (round: readonly ClientsReading[]): number =>
              Math.max(...round.map((reading) => reading[kind].lateMs?.[quantile] ?? Number.NaN));
            const what = `${kind}: event after confirmation, ${quantile}, slowest account`;
            return { what, unit: 'ms', rounds: readings.map(slowest) };
          }),
        ),
        ...[...memory].map(([name, grown]): Row => {
          const baseline = { what: 'nobody listens', rounds: grown.without };
          return {
            what: `${name} grows, ${plan.streams} streams and ${plan.webhooks} webhooks`,
            unit: 'MB',
            rounds: grown.with,
            baseline,
            reach: { atMost: mostMegabytes },
          };
        }),
      ];
    } finally {
      await Promise.all([...accounts.map(({ load }) => load.stop()), log.close()]);
    }
  },
};

type Grown = { readonly without: number[]; readonly with: number[] };

const collectionsAtOnce = 25;
/** `collection.created` in both of its versions. */
const eventsPerCollection = 2;
/** What the newest events of all accounts may take (`EVENT_BUFFER_BYTES`, 64 MiB), and as much for connections and what is being written. */
const mostMegabytes = 128;
/** More is not carried by two cores that carry the servers, the chain and all clients as well. */
const fullPlan = {
  rounds: 2,
  accounts: 4,
  streams: 1_000,
  webhooks: 100,
  perSecond: 400,
  load: { warmUpSeconds: 2, seconds: 15 },
};
const quickPlan: typeof fullPlan = {
  ...{ rounds: 1, accounts: 2, streams: 6, webhooks: 2, perSecond: 20 },
  load: { warmUpSeconds: 0, seconds: 2 },
};
