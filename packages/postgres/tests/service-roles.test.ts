import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { type TestDatabase, testDatabase } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';

const root = resolve(import.meta.dirname, '../../..');
const services = ['gateway', 'stamping', 'chain-indexer', 'storage', 'verification', 'notifications'] as const;
type Service = (typeof services)[number];
const roleOf = (service: Service): string => `${database.name}_${service.replace('-', '_')}`;

let database: TestDatabase;
jest.setTimeout(120_000);
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  for (const service of services) {
    await database.pool.query(`drop owned by ${roleOf(service)} cascade`);
    await database.pool.query(`drop role ${roleOf(service)}`);
  }
  await database.drop();
});

function urlOf(service: Service): string {
  const url = new URL(database.url);
  url.username = roleOf(service);
  url.password = 'secret';
  return url.href;
}

async function refusal(service: Service, statement: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: urlOf(service) });
  await client.connect();
  try {
    return await client.query(statement).then(
      () => undefined,
      (error: unknown) => (error as { code?: string }).code,
    );
  } finally {
    await client.end();
  }
}

describe('the roles of deploy/README.md', () => {
  it('let each service bring its own schema to the newest state, and reach no other', async () => {
    const [, statements = ''] =
      /```sql\n([^`]+)```/.exec(await readFile(resolve(root, 'deploy/README.md'), 'utf8')) ?? [];
    // roles belong to the whole server, so a test's are named after its database
    await database.pool.query(statements.replaceAll('indelible_', `${database.name}_`));
    for (const service of services) {
      await database.pool.query(`alter role ${roleOf(service)} password 'secret'`);
      const migrate = resolve(root, 'services', service, 'src/migrate.ts');
      await promisify(execFile)(process.execPath, [migrate], { env: { DATABASE_URL: urlOf(service) } });
    }
    const { rows } = await database.pool.query<{ owner: string; schema: string }>(
      `select distinct pg_get_userbyid(c.relowner) as owner, n.nspname as schema
         from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname !~ '^pg_|^information_schema' order by schema`,
    );
    expect(rows).toEqual([
      { schema: 'accounts', owner: roleOf('gateway') },
      { schema: 'chain', owner: roleOf('chain-indexer') },
      { schema: 'gateway', owner: roleOf('gateway') },
      { schema: 'notifications', owner: roleOf('notifications') },
      { schema: 'stamping', owner: roleOf('stamping') },
      { schema: 'storage', owner: roleOf('storage') },
      { schema: 'verification', owner: roleOf('verification') },
    ]);
    const permissionDenied = '42501';
    for (const service of services)
      for (const { schema, owner } of rows)
        expect([service, schema, await refusal(service, `select from ${schema}.knex_migrations`)]).toEqual([
          service,
          schema,
          owner === roleOf(service) ? undefined : permissionDenied,
        ]);
    expect(await refusal('gateway', `copy (select 1) to program 'true'`)).toBe(permissionDenied);
  });
});
