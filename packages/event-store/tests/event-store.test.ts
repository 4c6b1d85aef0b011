import { randomUUID } from 'node:crypto';
import { BlocksFinalized } from '@indelible/messages';
import {
  type Client,
  createDatabase,
  type Database,
  decideInTransaction,
  migrate,
  planning,
} from '@indelible/postgres';
import { createLogger, PermanentError } from '@indelible/service-runtime';
import { eventually, readsOfWholeTables, recordStatements, testDatabase } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { appendEvents, claimMessages, createRelay, eventStoreMigrations, newEvent } from '../src/index.ts';

const schema = 'things';
const logger = createLogger({ service: 'test', level: 'silent' });
const statements = recordStatements();
let stored: Awaited<ReturnType<typeof testDatabase>>;
let database: Database;
beforeAll(async () => {
  stored = await testDatabase();
  await migrate({ url: stored.url, schema, migrations: eventStoreMigrations });
  database = createDatabase({ url: stored.url, schema, applicationName: 'test', maxConnections: 20, logger });
});
afterAll(async () => {
  await database.close();
  await stored.drop();
});

const event = (stream: string, version: number, number: number, id: string = randomUUID()) =>
  newEvent(BlocksFinalized, { chainId: 1, number, hash: `0x${'ab'.repeat(32)}` }, { stream, version, id });
const append = (client: Client, ...events: ReturnType<typeof event>[]) => appendEvents(client, schema, events);

/** A publisher that keeps what it was given, and fails as often as it is told to. */
function recordingPublisher() {
  const published: { id: string; number: number }[] = [];
  let failures = 0;
  return {
    published,
    numbers: () => published.map(({ number }) => number),
    failNext: (times: number) => {
      failures = times;
    },
    async publishRecorded(messages: readonly { readonly id: string; readonly data?: unknown }[]) {
      for (const { id, data } of messages) published.push({ id, number: (data as { number: number }).number });
      if (failures > 0) {
        failures--;
        throw new Error('the broker took them and then went away');
      }
    },
  };
}
/** A transaction that has done something and stays open until it is ended. */
async function openTransaction(work: (client: Client) => Promise<unknown>) {
  const ending = Promise.withResolvers<'commit' | 'rollback'>();
  const working = Promise.withResolvers<void>();
  const rolledBack = new Error('rolled back');
  const done = database
    .transaction(async (client) => {
      await work(client);
      working.resolve();
      if ((await ending.promise) === 'rollback') throw rolledBack;
    })
    .catch((error: unknown) => {
      working.reject(error);
      if (error !== rolledBack) throw error;
    });
  await working.promise;
  return {
    end: async (how: 'commit' | 'rollback') => {
      ending.resolve(how);
      await done;
    },
  };
}
const relayTo = (publisher: ReturnType<typeof recordingPublisher>) =>
  createRelay({ database, publisher, contracts: [BlocksFinalized], logger, metrics: new Registry() });

describe('appending events', () => {
  it('lets one of two decisions on the same stream through; the other decides again', async () => {
    const stream = randomUUID();
    const decide = (number: number) =>
      decideInTransaction(database, async (client) => {
        const { rows } = await client.query<{ version: number | null }>(
          'select max(version) as version from events where stream = $1',
          [stream],
        );
        await append(client, event(stream, (rows[0]?.version ?? 0) + 1, number));
      });
    await Promise.all([1, 2, 3, 4].map(decide));
    const { rows } = await database.query('select version from events where stream = $1 order by version', [stream]);
    expect(rows.map((row) => row.version)).toEqual([1, 2, 3, 4]);
  });
});

describe('the inbox', () => {
  it('lets each message take effect once, also among concurrent deliveries (I5)', async () => {
    const ids = Array.from({ length: 50 }, () => randomUUID());
    const claims = await Promise.all(
      Array.from({ length: 6 }, () =>
        decideInTransaction(database, (client) => claimMessages(client, 'a consumer', ids)),
      ),
    );
    expect(claims.reduce((sum, claimed) => sum + claimed.size, 0)).toBe(ids.length);
  });
  it('lets a message whose effect was rolled back take effect later (I5)', async () => {
    const id = randomUUID();
    const failing = database.transaction(async (client) => {
      await claimMessages(client, 'a consumer', [id]);
      throw new Error('the effect failed');
    });
    await expect(failing).rejects.toThrow('the effect failed');
    expect(await database.transaction((client) => claimMessages(client, 'a consumer', [id]))).toEqual(new Set([id]));
  });
  it('keeps consumers apart', async () => {
    const id = randomUUID();
    await database.transaction((client) => claimMessages(client, 'one', [id]));
    expect(await database.transaction((client) => claimMessages(client, 'another', [id]))).toEqual(new Set([id]));
  });
});

describe('the relay', () => {
  it.each([1_000n, 2n ** 32n - 2n, 2n ** 33n + 2n ** 31n - 2n])(
    'loses nothing of a transaction that a faster one overtook, at position %s',
    async (first) => {
      await database.query(`select setval('events_position_seq', $1)`, [first]);
      const publisher = recordingPublisher();
      const own = () => publisher.numbers().filter((number) => number >= 100);
      const relay = relayTo(publisher);
      await relay.start();
      const overtaken = await openTransaction((client) => append(client, event(randomUUID(), 1, 100)));
      const aborted = await openTransaction((client) => append(client, event(randomUUID(), 1, 102)));
      await database.transaction((client) => append(client, event(randomUUID(), 1, 101)));
      await overtaken.end('commit');
      await eventually(() => expect(own()).toEqual([100]));
      await aborted.end('rollback');
      await eventually(() => expect(own()).toEqual([100, 101]));
      await relay.stop();
    },
  );

  it('waits for no transaction that appends nothing (I12)', async () => {
    const publisher = recordingPublisher();
    const own = () => publisher.numbers().filter((number) => number >= 100);
    const relay = relayTo(publisher);
    await relay.start();
    const other = await openTransaction((client) => claimMessages(client, 'another', [randomUUID()]));
    await database.transaction((client) => append(client, event(randomUUID(), 1, 200)));
    await eventually(() => expect(own()).toEqual([200]));
    await other.end('commit');
    await relay.stop();
  });

  it('keeps order under many concurrent writers, and publishes each event once while nothing fails', async () => {
    const publisher = recordingPublisher();
    const relay = relayTo(publisher);
    await relay.start();
    const streams = Array.from({ length: 10 }, () => randomUUID());
    await Promise.all(
      streams.map(async (stream, writer) => {
        for (let version = 1; version <= 20; version++) {
          const appended = await openTransaction((client) =>
            append(client, event(stream, version, 1_000 + writer * 100 + version)),
          );
          if (version % 3 === writer % 3) await database.query('select pg_sleep(0.005)');
          await appended.end('commit');
        }
      }),
    );
    await eventually(async () => expect(publisher.numbers().filter((number) => number >= 1_000)).toHaveLength(200));
    for (let writer = 0; writer < 10; writer++) {
      const own = publisher.numbers().filter((number) => Math.floor((number - 1_000) / 100) === writer);
      expect(own).toEqual(own.toSorted((a, b) => a - b));
    }
    await relay.stop();
  });

  it('repeats under the same ids what it cannot know to be published (I5)', async () => {
    const publisher = recordingPublisher();
    publisher.failNext(1);
    const relay = relayTo(publisher);
    await relay.start();
    const id = randomUUID();
    await database.transaction((client) => append(client, event(randomUUID(), 1, 5_000, id)));
    await eventually(async () => expect(publisher.published.filter((one) => one.number === 5_000)).toHaveLength(2));
    expect(new Set(publisher.published.filter((one) => one.number === 5_000).map((one) => one.id))).toEqual(
      new Set([id]),
    );
    await relay.stop();
  });

  it('is led by one replica at a time; another takes over without gap or repetition', async () => {
    const publishers = [recordingPublisher(), recordingPublisher()];
    const [first, second] = publishers.map((publisher) => relayTo(publisher)) as [
      ReturnType<typeof relayTo>,
      ReturnType<typeof relayTo>,
    ];
    await first.start();
    await database.transaction((client) => append(client, event(randomUUID(), 1, 6_000)));
    await eventually(async () => expect(publishers[0]?.numbers()).toContain(6_000));
    await second.start();
    await first.stop();
    await database.transaction((client) => append(client, event(randomUUID(), 1, 6_001)));
    await eventually(async () => expect(publishers[1]?.numbers()).toEqual([6_001]));
    expect(publishers[0]?.numbers()).not.toContain(6_001);
    await second.stop();
  });
});

describe('the age of the oldest event that is not in Kafka', () => {
  it.each([
    ['kept', false],
    ['passing', true],
  ])('is shown of %s events', async (name, prunePublished) => {
    const own = `aging_${name}`;
    await migrate({ url: stored.url, schema: own, migrations: eventStoreMigrations });
    const ownDatabase = createDatabase({ url: stored.url, schema: own, applicationName: 'test', logger });
    const metrics = new Registry();
    const publisher = recordingPublisher();
    // It is not started: nothing is published.
    createRelay({ database: ownDatabase, publisher, contracts: [BlocksFinalized], logger, metrics, prunePublished });
    await ownDatabase.transaction((client) => appendEvents(client, own, [event(randomUUID(), 1, 1)]));
    await ownDatabase.query(`update events set recorded_at = recorded_at - interval '1 hour'`);
    const shown = await metrics.getSingleMetric('indelible_relay_oldest_unpublished_seconds')?.get();
    expect(Math.floor((shown?.values[0]?.value ?? 0) / 3_600)).toBe(1);
    await ownDatabase.close();
  });
});

describe('the migration to settled positions', () => {
  it('publishes all that was not published, and little of the rest again, also what the version before still appends', async () => {
    const former = 'former';
    const names = eventStoreMigrations.map(({ name }) => name);
    const before = eventStoreMigrations.slice(0, names.indexOf('0005-events-by-position'));
    await migrate({ url: stored.url, schema: former, migrations: before });
    const formerDatabase = createDatabase({ url: stored.url, schema: former, applicationName: 'test', logger });
    // As the version before does.
    const appendOne = (number: number) =>
      formerDatabase.query(
        `insert into events (stream, version, type, type_version, message_id, data) values ($1, 1, $2, $3, $4, $5)`,
        [...[randomUUID(), BlocksFinalized.type, BlocksFinalized.version, randomUUID()], event('', 1, number).data],
      );
    for (let number = 1; number <= 10; number++) await appendOne(number);
    // Position 4 was appended by a transaction that began later than those of 5 and 6, and the cursor stands at 5.
    await formerDatabase.query(`update events set transaction_id = (
      select transaction_id from events where position = case e.position when 4 then 6 when 5 then 4 else 5 end)
      from events e where e.position = events.position and e.position in (4, 5, 6)`);
    await formerDatabase.query(
      'update relay_cursor set (transaction_id, position) = (select transaction_id, position from events where position = 5)',
    );
    await migrate({ url: stored.url, schema: former, migrations: eventStoreMigrations });
    await appendOne(11);
    const publisher = recordingPublisher();
    const relay = createRelay({
      database: formerDatabase,
      publisher,
      contracts: [BlocksFinalized],
      logger,
      metrics: new Registry(),
    });
    await relay.start();
    await eventually(() => expect(publisher.numbers()).toEqual([4, 5, 6, 7, 8, 9, 10, 11]));
    await relay.stop();
    await formerDatabase.close();
  });
});

describe('the relay of a backlog', () => {
  const backlogged = 'backlogged';
  let backlogDatabase: Database;
  beforeAll(async () => {
    await migrate({ url: stored.url, schema: backlogged, migrations: eventStoreMigrations });
    backlogDatabase = createDatabase({ url: stored.url, schema: backlogged, applicationName: 'test', logger });
  });
  afterAll(() => backlogDatabase.close());

  it('publishes 40 MB to a broker that acknowledges 100 KB in time, each event once (I11)', async () => {
    const hash = `0x${'ab'.repeat(20_000)}` as const;
    const numbers = Array.from({ length: 1_000 }, (_, n) => n + 1);
    const events = numbers.map((number) =>
      newEvent(BlocksFinalized, { chainId: 1, number, hash }, { stream: 'a stream', version: number }),
    );
    await backlogDatabase.transaction((client) => appendEvents(client, backlogged, events));
    const acknowledged: number[] = [];
    const publisher = {
      async publishRecorded(messages: readonly { readonly id: string; readonly data?: unknown }[]) {
        if (JSON.stringify(messages).length > 100_000) throw new Error('not acknowledged in time');
        for (const { data } of messages) acknowledged.push((data as { number: number }).number);
      },
    };
    const relay = createRelay({
      database: backlogDatabase,
      publisher,
      contracts: [BlocksFinalized],
      logger,
      metrics: new Registry(),
    });
    await relay.start();
    await eventually(() => expect(acknowledged.length).toBeGreaterThanOrEqual(1_000), { timeoutMs: 60_000 });
    await relay.stop();
    expect(acknowledged).toEqual(numbers);
  }, 90_000);
});

describe('an event that cannot be published', () => {
  /** A publisher to which some numbers break their schema, and which takes nothing of a call with one of them. */
  function strictPublisher(...invalid: number[]) {
    const { published, numbers } = recordingPublisher();
    return {
      numbers,
      async publishRecorded(messages: readonly { readonly id: string; readonly data?: unknown }[]) {
        const given = messages.map(({ id, data }) => ({ id, number: (data as { number: number }).number }));
        if (given.some(({ number }) => invalid.includes(number))) throw new PermanentError('breaks its schema');
        published.push(...given);
      },
    };
  }

  it.each([
    ['kept', false],
    ['passing', true],
  ])('holds back its stream and no other, until a leader can publish it: %s events (I6, I12)', async (name, passes) => {
    const own = `held_${name}`;
    await migrate({ url: stored.url, schema: own, migrations: eventStoreMigrations });
    const ownDatabase = createDatabase({ url: stored.url, schema: own, applicationName: 'test', logger });
    const start = async (publisher: ReturnType<typeof strictPublisher>, metrics = new Registry()) => {
      const contracts = [BlocksFinalized];
      const relay = createRelay({
        database: ownDatabase,
        publisher,
        contracts,
        logger,
        metrics,
        prunePublished: passes,
      });
      await relay.start();
      return relay;
    };
    const before = Array.from({ length: 40 }, (_, n) => event(`before ${n}`, 1, n));
    const after = Array.from({ length: 40 }, (_, n) => event(`after ${n}`, 1, 200 + n));
    const poisoned = [event('poisoned', 1, 100), event('poisoned', 2, 101), event('poisoned', 3, 102)];
    await ownDatabase.transaction((client) => appendEvents(client, own, [...before, ...poisoned, ...after]));
    const others = [...before.keys(), ...Array.from(after.keys(), (n) => 200 + n)];

    const old = strictPublisher(101);
    const metrics = new Registry();
    const oldRelay = await start(old, metrics);
    const heldStreams = async () => (await metrics.getSingleMetric('indelible_relay_held_streams')?.get())?.values;
    await eventually(() => expect(old.numbers()).toHaveLength(81));
    expect(old.numbers().toSorted((a, b) => a - b)).toEqual([...others, 100].toSorted((a, b) => a - b));
    await ownDatabase.transaction((client) =>
      appendEvents(client, own, [event('poisoned', 4, 103), event('late', 1, 300)]),
    );
    await eventually(() => expect(old.numbers()).toContain(300));
    expect(old.numbers()).not.toContain(103);
    expect(await heldStreams()).toMatchObject([{ value: 1 }]);
    await oldRelay.stop();
    expect(await heldStreams()).toMatchObject([{ value: 0 }]);

    const next = strictPublisher();
    const nextRelay = await start(next);
    await eventually(() => expect(next.numbers()).toEqual([101, 102, 103]));
    await ownDatabase.transaction((client) => appendEvents(client, own, [event('poisoned', 5, 104)]));
    await eventually(() => expect(next.numbers()).toEqual([101, 102, 103, 104]));
    await nextRelay.stop();
    const { rows } = await ownDatabase.query('select count(*) as held from relay_held');
    expect(rows).toEqual([{ held: 0 }]);
    await ownDatabase.close();
  });

  it('may be one of a contract that this replica does not know', async () => {
    const own = 'unknown_contract';
    await migrate({ url: stored.url, schema: own, migrations: eventStoreMigrations });
    const ownDatabase = createDatabase({ url: stored.url, schema: own, applicationName: 'test', logger });
    const publisher = recordingPublisher();
    const newer = { ...BlocksFinalized, version: 99 };
    const place = { stream: 'newer', version: 1 };
    await ownDatabase.transaction((client) =>
      appendEvents(client, own, [newEvent(newer, { chainId: 1, number: 1, hash: '0x' }, place), event('other', 1, 2)]),
    );
    const relay = createRelay({
      database: ownDatabase,
      publisher,
      contracts: [BlocksFinalized],
      logger,
      metrics: new Registry(),
    });
    await relay.start();
    await eventually(() => expect(publisher.numbers()).toEqual([2]));
    await relay.stop();
    await ownDatabase.close();
  });
});

describe('the relay of events that are no source of truth', () => {
  const passing = 'passing';
  let passingDatabase: Database;
  beforeAll(async () => {
    await migrate({ url: stored.url, schema: passing, migrations: eventStoreMigrations });
    passingDatabase = createDatabase({ url: stored.url, schema: passing, applicationName: 'test', logger });
  });
  afterAll(() => passingDatabase.close());

  const start = async () => {
    const publisher = recordingPublisher();
    const contracts = [BlocksFinalized];
    const relay = createRelay({
      database: passingDatabase,
      publisher,
      contracts,
      logger,
      metrics: new Registry(),
      prunePublished: true,
    });
    await relay.start();
    return { publisher, relay };
  };
  const appendOne = (number: number) => (client: Client) =>
    appendEvents(client, passing, [event(randomUUID(), 1, number)]);

  it('removes what it has published', async () => {
    const { publisher, relay } = await start();
    await passingDatabase.transaction(appendOne(7_000));
    await eventually(async () => {
      const { rows } = await passingDatabase.query('select count(*) as count from events');
      expect(rows).toEqual([{ count: 0 }]);
    });
    expect(publisher.numbers()).toEqual([7_000]);
    await relay.stop();
  });

  it('publishes while an older transaction still writes, and loses nothing of that one', async () => {
    const { publisher, relay } = await start();
    const slowMayCommit = Promise.withResolvers<void>();
    const slowHasWritten = Promise.withResolvers<void>();
    const slow = passingDatabase.transaction(async (client) => {
      await appendOne(8_000)(client);
      slowHasWritten.resolve();
      await slowMayCommit.promise;
    });
    await slowHasWritten.promise;
    await passingDatabase.transaction(appendOne(8_001));
    await eventually(async () => expect(publisher.numbers()).toEqual([8_001]));
    slowMayCommit.resolve();
    await slow;
    await eventually(async () => expect(publisher.numbers()).toEqual([8_001, 8_000]));
    await relay.stop();
  });
});

it('no statement reads a whole table, even if it was planned when nothing was there', async () => {
  statements.stop();
  const texts = statements.texts();
  expect(texts.length).toBeGreaterThan(3);
  const whole = await readsOfWholeTables(texts, { url: stored.url, schema, settings: planning });
  // The cursor is one row.
  expect(whole.filter((each) => !each.startsWith('relay_cursor: '))).toEqual([]);
});
