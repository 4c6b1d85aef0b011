import { eventStoreMigrations } from '@indelible/event-store';
import { newId } from '@indelible/identifiers';
import { type Database, migrate } from '@indelible/postgres';
import { type TestDatabase, testDatabase } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ConfirmedFact, Fact, Stamp } from '../../src/decisions/facts.ts';
import { logMigration } from '../../src/migrations/0100-log.ts';
import { notificationsMigrations, schema } from '../../src/migrations/migrations.ts';
import { projectFacts } from '../../src/use-cases/project-facts.ts';
import { connect, write } from '../support/database.ts';
import { accountOf, hash, receiptOf, stampOf } from '../support/messages.ts';

let server: TestDatabase;
let database: Database;
const account = accountOf('parts');
/** A batch of the release before, which kept all of a batch in one row. */
const formerBatch = newId();
const formerStamps = [stampOf({ account }), stampOf({ account })];

beforeAll(async () => {
  server = await testDatabase();
  await migrate({ url: server.url, schema, migrations: [...eventStoreMigrations, logMigration] });
  const confirmed = Object.fromEntries(
    formerStamps.map((stamp) => [stamp.stampId, { stamp, receipt: receiptOf(stamp) }]),
  );
  const state = { submitted: true, parts: [], announced: [], confirmed, finals: [] };
  await server.pool.query('insert into notifications.batches (batch_id, state, open_stamps) values ($1, $2, 2)', [
    formerBatch,
    state,
  ]);
  await migrate({ url: server.url, schema, migrations: notificationsMigrations });
  database = connect(server.url);
}, 60_000);
afterAll(async () => {
  await database?.close();
  await server.drop();
});

const envelope = () => ({ messageId: newId(), time: '2026-11-21T04:10:08.123Z' });
const confirmed = (batchId: string, stamp: Stamp): ConfirmedFact => ({
  ...envelope(),
  kind: 'confirmed',
  batchId,
  stamp,
  receipt: receiptOf(stamp),
});
const finalized = (batchId: string, stamps: readonly Stamp[]): Fact => ({
  ...envelope(),
  kind: 'finalized',
  batchId,
  blockHash: hash('block 1'),
  stampIds: stamps.map(({ stampId }) => stampId),
});
const projectAll = async (...facts: Fact[]): Promise<string[]> =>
  (await projectFacts(database, facts, write)).map(({ event }) => `${event.name} ${event.subject}`);
const openStamps = async (batchId: string): Promise<[number, number]> => {
  const { rows } = await server.pool.query<{ open: number; kept: number }>(
    `select (select open_stamps from notifications.batches where batch_id = $1) as open,
       (select count(*)::int from notifications.confirmed_stamps where batch_id = $1) as kept`,
    [batchId],
  );
  return [rows[0]!.open, rows[0]!.kept];
};

describe('the confirmed stamps of a batch', () => {
  it('are final together though they were confirmed in parts, without what was reverted (I5)', async () => {
    const batchId = newId();
    const stamps = [1, 2, 3, 4].map(() => stampOf({ account }));
    const [one, two, three, four] = stamps as [Stamp, Stamp, Stamp, Stamp];
    await projectAll(confirmed(batchId, one), confirmed(batchId, two));
    await projectAll(confirmed(batchId, three));
    expect(await openStamps(batchId)).toEqual([3, 2]);
    await projectAll({ ...envelope(), kind: 'reverted', batchId, stamp: two, receipt: receiptOf(two) });
    expect(await openStamps(batchId)).toEqual([2, 1]);
    await projectAll(confirmed(batchId, four));
    const final = await projectAll(finalized(batchId, [one, three]));
    expect(final).toEqual([one, three].map(({ stampId }) => `stamp.finalized ${stampId}`));
    expect(await openStamps(batchId)).toEqual([1, 1]);
    expect(await projectAll(finalized(batchId, [four]))).toEqual([`stamp.finalized ${four.stampId}`]);
    expect(await openStamps(batchId)).toEqual([0, 0]);
  });

  it('that the release before kept are final as well', async () => {
    const final = await projectAll(finalized(formerBatch, formerStamps));
    expect(final).toEqual(formerStamps.map(({ stampId }) => `stamp.finalized ${stampId}`));
    expect(await openStamps(formerBatch)).toEqual([0, 0]);
  });
});
