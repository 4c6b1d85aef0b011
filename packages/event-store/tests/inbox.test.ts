import { randomUUID } from 'node:crypto';
import { newId } from '@indelible/identifiers';
import { createDatabase, type Database, decideInTransaction, migrate } from '@indelible/postgres';
import { createLogger } from '@indelible/service-runtime';
import { eventually, testDatabase } from '@indelible/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { claimMessages, createInboxKeeper, eventStoreMigrations, tendInbox } from '../src/index.ts';

const schema = 'inboxes';
const dayMs = 86_400_000;
const logger = createLogger({ service: 'test', level: 'silent' });
let stored: Awaited<ReturnType<typeof testDatabase>>;
let database: Database;
beforeAll(async () => {
  stored = await testDatabase();
  await migrate({ url: stored.url, schema, migrations: eventStoreMigrations });
  database = createDatabase({ url: stored.url, schema, applicationName: 'test', maxConnections: 10, logger });
});
afterAll(async () => {
  await database.close();
  await stored.drop();
});
beforeEach(async () => {
  await database.query('truncate inbox');
});

/** A UUID of version 7 as it was made at a time. */
function idAt(time: number): string {
  const hex = Math.floor(time).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}${newId().slice(13)}`;
}
const claim = (...ids: string[]) => decideInTransaction(database, (client) => claimMessages(client, 'a consumer', ids));
const age = (id: string, days: number) =>
  database.query('update inbox set handled_at = now() - make_interval(days => $2) where message_id = $1', [id, days]);
const tableOf = async (id: string): Promise<string | undefined> => {
  const { rows } = await database.query<{ name: string }>(
    'select tableoid::regclass::text as name from inbox where message_id = $1',
    [id],
  );
  return rows[0]?.name;
};
const dayName = (time: number): string => `inbox_${new Date(time).toISOString().slice(0, 10).replaceAll('-', '')}`;

describe('the inbox by day', () => {
  it('lets a message take effect once, whatever time its id has (I5)', async () => {
    const now = Date.now();
    const times = [now, now - 3 * dayMs, now - 400 * dayMs, now + 400 * dayMs, 0, 2 ** 48 - 1];
    const ids = [...times.map(idAt), randomUUID(), 'ffffffff-ffff-8fff-bfff-ffffffffffff', idAt(now)];
    expect(await claim(...ids, ...ids)).toEqual(new Set(ids));
    expect(await claim(...ids)).toEqual(new Set());
    const another = idAt(now);
    expect(await claim(...ids, another)).toEqual(new Set([another]));
  });

  it('keeps what waited without a day when its day gets its part, and nothing takes effect twice (I5)', async () => {
    const later = Date.now() + 20 * dayMs;
    const [before, tomorrow] = [idAt(later), idAt(later + dayMs)];
    await claim(before, tomorrow);
    expect(await tableOf(before)).toBe('inbox_default');
    expect((await tendInbox(database, later)).created).toBeGreaterThan(0);
    expect(await tableOf(before)).toBe(dayName(later));
    const after = idAt(later);
    expect(await claim(before, tomorrow, after)).toEqual(new Set([after]));
  });

  it('drops a day only when none of its messages was handled within 30 days (I5)', async () => {
    const made = Date.now() - 40 * dayMs;
    await tendInbox(database, made);
    const id = idAt(made);
    await claim(id);
    await age(id, 2);
    expect(await tableOf(id)).toBe(dayName(made));
    await tendInbox(database, Date.now());
    expect(await claim(id)).toEqual(new Set());
    await age(id, 31);
    expect((await tendInbox(database, Date.now())).dropped).toBeGreaterThan(0);
    const { rows } = await database.query('select to_regclass($1) as day', [dayName(made)]);
    expect(rows).toEqual([{ day: null }]);
    // A copy that comes later still has a place.
    expect(await claim(id)).toEqual(new Set([id]));
    expect(await tableOf(id)).toBe('inbox_default');
  });

  it('forgets ids without a time, and of no day, by their age', async () => {
    const ids = ['ffffffff-ffff-8fff-bfff-ffffffffffff', idAt(Date.now() - 400 * dayMs), idAt(Date.now())];
    await claim(...ids);
    for (const id of ids) await age(id, 31);
    expect((await tendInbox(database, Date.now())).forgotten).toBe(2);
    expect(await claim(...ids)).toEqual(new Set(ids.slice(0, 2)));
  });

  it('is tended by many replicas at once while messages come, and each message takes effect once (I5)', async () => {
    const later = Date.now() + 28 * dayMs;
    const ids = Array.from({ length: 400 }, (_, n) => idAt(later + (n % 8) * dayMs));
    const claims = Array.from({ length: 4 }, async () => {
      let taken = 0;
      for (let n = 0; n < ids.length; n += 20) taken += (await claim(...ids.slice(n, n + 20))).size;
      return taken;
    });
    const tending = Array.from({ length: 4 }, () => tendInbox(database, later).catch(() => undefined));
    const counts = await Promise.all(claims);
    await Promise.all(tending);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(ids.length);
    await tendInbox(database, later);
    expect(await claim(...ids)).toEqual(new Set());
    expect(await tableOf(ids[0] ?? '')).toBe(dayName(later));
  });

  it('waits a second at most for its locks, so that a long transaction delays no other (I12)', async () => {
    const later = Date.now() + 120 * dayMs;
    const mayCommit = Promise.withResolvers<void>();
    const claimed = Promise.withResolvers<void>();
    const long = database.transaction(async (client) => {
      await claimMessages(client, 'a consumer', [idAt(later)]);
      claimed.resolve();
      await mayCommit.promise;
    });
    await claimed.promise;
    await expect(tendInbox(database, later)).rejects.toMatchObject({ code: '55P03' });
    const id = idAt(Date.now());
    expect(await claim(id)).toEqual(new Set([id]));
    mayCommit.resolve();
    await long;
    expect((await tendInbox(database, later)).created).toBeGreaterThan(0);
  });
});

describe('the migration to parts', () => {
  it('keeps what is remembered, and back (I5)', async () => {
    const own = 'migrated';
    const upTo = (name: string) => eventStoreMigrations.filter((migration) => migration.name <= name);
    await migrate({ url: stored.url, schema: own, migrations: upTo('0003-z') });
    const older = createDatabase({ url: stored.url, schema: own, applicationName: 'test', logger });
    const ids = [idAt(Date.now()), idAt(Date.now() - 5 * dayMs), randomUUID()];
    await older.query(`insert into inbox (consumer, message_id) select 'a consumer', unnest($1::uuid[])`, [ids]);
    await migrate({ url: stored.url, schema: own, migrations: eventStoreMigrations });
    expect(await older.transaction((client) => claimMessages(client, 'a consumer', ids))).toEqual(new Set());
    await older.close();
  });
});

describe('the inbox keeper', () => {
  it('makes the parts of the coming days by itself, and stops', async () => {
    const tomorrow = Date.now() + 7 * dayMs;
    await database.query(`drop table if exists ${dayName(tomorrow)}`);
    const keeper = createInboxKeeper({ database, logger, everyMs: 10 });
    await keeper.start();
    await eventually(async () => {
      const { rows } = await database.query('select to_regclass($1) is not null as there', [dayName(tomorrow)]);
      expect(rows).toEqual([{ there: true }]);
    });
    await keeper.stop();
  });
});
