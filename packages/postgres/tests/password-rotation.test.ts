import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createLogger } from '@indelible/service-runtime';
import { type TestDatabase, testDatabase } from '@indelible/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { createDatabase, type Migration, migrate } from '../src/index.ts';

const silent = createLogger({ service: 'test', level: 'silent' });
/** Of the class "invalid authorization". */
const refused = '28';
let database: TestDatabase;
let role: string;
beforeAll(async () => {
  database = await testDatabase();
  role = `${database.name}_stamping`;
});
afterAll(async () => {
  await database.pool.query(`drop owned by ${role} cascade`);
  for (const name of [`${role}_a`, `${role}_b`, role]) await database.pool.query(`drop role ${name}`);
  await database.drop();
});

const urlOf = (suffix: '' | '_a' | '_b'): string => {
  const url = new URL(database.url);
  url.username = `${role}${suffix}`;
  url.password = `secret${suffix}`;
  return url.href;
};
const login = async (suffix: '' | '_a' | '_b'): Promise<unknown> => {
  const client = new pg.Client({ connectionString: urlOf(suffix) });
  try {
    await client.connect();
    return 'accepted';
  } catch (error) {
    return (error as { code?: string }).code?.slice(0, 2);
  } finally {
    await client.end().catch(() => {});
  }
};
const table = (name: string): Migration => ({
  name,
  async up(knex) {
    await knex.raw(`create table "${name}" (n int)`);
  },
  async down() {},
});

it('a database password is changed as docs/rotation.md says: two roles by turns act as the owner, and work goes on meanwhile', async () => {
  await database.pool.query(`create role ${role} login password 'secret'`);
  await database.pool.query(`create schema stamping authorization ${role}`);
  const schema = 'stamping';
  await migrate({ url: urlOf(''), schema, migrations: [table('0001')] });

  const document = await readFile(resolve(import.meta.dirname, '../../../docs/rotation.md'), 'utf8');
  const [, statements = ''] = /```sql\n([^`]+)```/.exec(document) ?? [];
  await database.pool.query(statements.replaceAll('indelible_stamping', role));
  await database.pool.query(`alter role ${role}_a password 'secret_a'`);
  expect([await login(''), await login('_a'), await login('_b')]).toEqual([refused, 'accepted', refused]);

  const running = createDatabase({ url: urlOf('_a'), schema, applicationName: 'test', logger: silent });
  try {
    await running.query('insert into "0001" values (1)');
    await database.pool.query(`alter role ${role}_b login password 'secret_b'`);
    await migrate({ url: urlOf('_b'), schema, migrations: [table('0001'), table('0002')] });
    await database.pool.query(`alter role ${role}_a nologin`);
    expect([await login('_a'), await login('_b')]).toEqual([refused, 'accepted']);
    // What is connected goes on until it is restarted.
    expect((await running.query('select n from "0001"')).rows).toEqual([{ n: 1 }]);
  } finally {
    await running.close();
  }
  const { rows } = await database.pool.query(`select distinct tableowner from pg_tables where schemaname = 'stamping'`);
  expect(rows).toEqual([{ tableowner: role }]);
});
