import { type TestDatabase, testDatabase } from '@indelible/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Migration, migrate } from '../../packages/postgres/src/migrate.ts';
import { grownFacts, grownStamps } from '../../services/stamping/seeds/grown-stamps.ts';
import { grownCommitments } from '../../services/verification/seeds/seeded-commitments.ts';
import { readMigrations, workspace } from './support/contents.ts';
import { lastRelease } from './support/releases.ts';

const stamps = 100_000;
/** Tables with a row for each stamp, or batch; of events the columns that docs/upgrades.md lists as removed are left out. */
const tables = {
  'stamping.stamps': '*',
  'stamping.batches': '*',
  'stamping.transactions': '*',
  'stamping.events': 'position, stream, version, type, type_version, message_id, data::text',
  'stamping.inbox': 'consumer, message_id',
  'verification.commitments': '*',
} as const;

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database?.drop());

/** Each table's number of rows, and the sum of their digests by the columns that the release has. */
async function contents(columns: Readonly<Record<string, string>>): Promise<Readonly<Record<string, unknown>>> {
  const found: Record<string, unknown> = {};
  for (const [table, list] of Object.entries(columns)) {
    const { rows } = await database.pool.query(
      `select count(*)::int as rows, sum(hashtextextended(t::text, 0))::text as digests from (select ${list} from ${table}) as t`,
    );
    found[table] = rows[0];
  }
  return found;
}

/** The columns of each table as they are now. */
async function columnsOfAll(): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const [table, list] of Object.entries(tables)) {
    const { rows } = await database.pool.query<{ list: string }>(
      `select string_agg(quote_ident(attname), ', ' order by attnum) as list from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
      [table],
    );
    found[table] = list === '*' ? (rows[0]?.list ?? '') : list;
  }
  return found;
}

it('a database of the last release with 100,000 stamps has all of them, unchanged, after the migrations since (I6, I8)', async () => {
  const release = await lastRelease();
  const migrations = await readMigrations<Migration>(workspace);
  const run = async (which: (schema: string, name: string) => boolean) => {
    for (const schema of ['stamping', 'verification']) {
      const all = migrations[schema] ?? [];
      await migrate({ url: database.url, schema, migrations: all.filter(({ name }) => which(schema, name)) });
    }
  };
  await run((schema, name) => release.migrations[schema]?.includes(name) === true);
  const account = `0x${'5a'.repeat(20)}` as const;
  const since = Date.now() - stamps;
  const grown = grownStamps({ account, chainId: 31_337, head: 1_000, from: 0, to: stamps, since });
  const commitments = grownCommitments(account, 31_337, grownFacts);
  for (const text of [...grown.prepare, ...grown.write.flat(), commitments, ...grown.done])
    await database.pool.query(text);
  const columns = await columnsOfAll();
  const before = await contents(columns);
  expect(before['stamping.stamps']).toMatchObject({ rows: stamps });
  await run(() => true);
  expect(await contents(columns)).toEqual(before);
}, 300_000);
