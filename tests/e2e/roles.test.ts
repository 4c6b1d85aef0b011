import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { addressOf, type DatabaseUser, roleOf, schemasOf, usualRolePrefix } from '@indelible/cli/provisioning';
import { type ServiceName, serviceNames } from '@indelible/launcher';
import { eventually, testPool, testSession } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type pg from 'pg';
import { type RunningStack, startRunningStack } from './support/running-stack.ts';

jest.setTimeout(180_000);

const permissionDenied = '42501';
const main = resolve(import.meta.dirname, '../../packages/cli/src/main.ts');

let running: RunningStack;
let admin: pg.Pool;
let database: string;
let passwords: Record<DatabaseUser, string>;
beforeAll(async () => {
  running = await startRunningStack();
  admin = testPool(running.connection.databaseUrl);
  database = new URL(running.connection.databaseUrl).pathname.slice(1);
  const kept = join(running.connection.blobDirectory, '../../secrets/database-passwords.json');
  passwords = JSON.parse(await readFile(kept, 'utf8')) as typeof passwords;
});
afterAll(async () => {
  await admin?.end();
  await running?.stop();
});

const role = (user: DatabaseUser): string => roleOf(usualRolePrefix(database), user);
const urlOf = (user: DatabaseUser): string => addressOf(running.connection.databaseUrl, role(user), passwords[user]);

/** Rows that a statement returns or changes, or the SQLSTATE that it is refused with. */
async function tryIn(session: pg.Client, statement: string): Promise<number | string | null> {
  await session.query('begin');
  try {
    return (await session.query(statement)).rowCount;
  } catch (error) {
    return (error as { code: string }).code;
  } finally {
    await session.query('rollback');
  }
}

async function inSession(url: string, work: (session: pg.Client) => Promise<void>): Promise<void> {
  const session = await testSession(url);
  try {
    await work(session);
  } finally {
    await session.end();
  }
}

async function indelible(words: readonly string[], databaseUrl: string) {
  const { kafkaBrokers, schemaRegistryUrl, rpcUrl, chainId, contractAddress, blobDirectory, internalUrls } =
    running.connection;
  const env = {
    DATABASE_URL: databaseUrl,
    KAFKA_BROKERS: kafkaBrokers,
    SCHEMA_REGISTRY_URL: schemaRegistryUrl,
    TOPIC_PREFIX: running.topicPrefix,
    RPC_URL: rpcUrl,
    CHAIN_ID: String(chainId),
    CONTRACT_ADDRESS: contractAddress,
    BLOB_STORE_DIRECTORY: blobDirectory,
    GATEWAY_INTERNAL_URL: internalUrls.gateway,
    STAMPING_URL: internalUrls.stamping,
    INDEXER_URL: internalUrls['chain-indexer'],
    STORAGE_URL: internalUrls.storage,
    VERIFICATION_URL: internalUrls.verification,
    NOTIFICATIONS_URL: internalUrls.notifications,
  };
  return new Promise<{ code: unknown; out: string }>((settle) => {
    execFile(process.execPath, [main, ...words], { env, cwd: '/' }, (error, out, err) =>
      settle({ code: error === null ? 0 : error.code, out: out + err }),
    );
  });
}

const tables = async (schema: string): Promise<readonly string[]> =>
  (
    await admin.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = $1`,
      [schema],
    )
  ).rows.map(({ name }) => name);

describe('services, each with a role of its own in the database', () => {
  it('a file goes its whole way: stamped, stored, found, reported', async () => {
    const file = new Blob([randomBytes(10_000)]);
    const { status, body } = await running.client.stamp({ file, collection_name: 'Apart' });
    expect([status, body.error]).toEqual([201, undefined]);
    expect(body.file_object?.file_path).toContain('/Apart/stamped/');
    const found = await running.client.verify([body.commitment_receipt.object_cid]);
    expect(found.body.stamp_list).toEqual([body.commitment_receipt]);
    await eventually(async () => {
      const { body: page } = await running.client.get<{ events: { type: string }[] }>('/events?wait=0');
      const types = page.events.map(({ type }) => type);
      expect(types.some((type) => type.includes('stamp.confirmed'))).toBe(true);
      expect(types.some((type) => type.includes('file.stored'))).toBe(true);
    });
  });

  it('log in by these roles and no other, and may do nothing but log in', async () => {
    const { rows } = await admin.query<{ role: string; powers: boolean }>(
      `select distinct r.rolname as role,
              rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as powers
         from pg_stat_activity a join pg_roles r on r.oid = a.usesysid
        where a.datname = current_database() and a.pid <> pg_backend_pid() and r.rolname <> current_user order by 1`,
    );
    expect(rows).toEqual(
      serviceNames
        .map((service) => ({ role: role(service), powers: false }))
        .sort((a, b) => (a.role < b.role ? -1 : 1)),
    );
  });

  it('can neither read nor write a table of another: the whole of it is refused', async () => {
    for (const service of serviceNames)
      await inSession(running.connection.databaseUrls[service as ServiceName], async (session) => {
        for (const other of serviceNames.filter((name) => name !== service))
          for (const schema of schemasOf[other])
            for (const table of await tables(schema)) {
              const refused = [
                await tryIn(session, `select from ${table}`),
                await tryIn(session, `delete from ${table}`),
              ];
              expect([service, table, ...refused]).toEqual([service, table, permissionDenied, permissionDenied]);
            }
      });
  });

  it('the reader is enough for `doctor` and `status`, and changes nothing', async () => {
    const doctor = await indelible(['doctor', '--grace', '0'], urlOf('reader'));
    expect(doctor).toMatchObject({ code: 0 });
    const status = await indelible(['status'], urlOf('reader'));
    expect(status.out).toContain('✓ stamps');
    expect(status.out).not.toMatch(/permission denied/);
    await inSession(urlOf('reader'), async (session) => {
      for (const service of serviceNames)
        for (const schema of schemasOf[service])
          expect(await tryIn(session, `delete from ${schema}.knex_migrations`)).toBe(permissionDenied);
    });
  });

  it('what the operator rebuilds belongs to its service, which goes on with it (I8)', async () => {
    const commands = [['rebuild', 'gateway.collections'], ['rebuild', 'verification.commitments'], ['migrate']];
    for (const words of commands) expect(await indelible(words, urlOf('operator'))).toMatchObject({ code: 0 });
    const { rows } = await admin.query<{ name: string }>(
      `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname in ('gateway', 'verification')
          and pg_get_userbyid(c.relowner) <> all (array[$1, $2])`,
      [role('gateway'), role('verification')],
    );
    expect(rows).toEqual([]);
    const { status } = await running.client.stamp({ file: new Blob([randomBytes(100)]), collection_name: 'Apart' });
    expect(status).toBe(201);
    expect(await indelible(['doctor', '--only', 'views', '--grace', '0'], urlOf('reader'))).toMatchObject({ code: 0 });
  });
});
