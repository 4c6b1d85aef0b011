import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openWatchedSession } from '@indelible/postgres';
import { type TestDatabase, testDatabase } from '@indelible/testing';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { runCommand } from './command-line.ts';

// Every command is a process of its own; a busy machine takes seconds to start some.
jest.setTimeout(120_000);

describe('indelible provision database', () => {
  let database: TestDatabase;
  let folder: string;
  beforeEach(async () => {
    database = await testDatabase();
    folder = await mkdtemp(join(tmpdir(), 'indelible-roles-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
    await database.drop();
  });

  const provision = (environment: Readonly<Record<string, string>>, ...words: string[]) =>
    runCommand(['provision', 'database', ...words], {
      folder,
      environment: { DATABASE_URL: database.url, ...environment },
    });
  const login = async (role: string, password: string): Promise<unknown> => {
    const url = new URL(database.url);
    url.username = role;
    url.password = password;
    const { client, close } = await openWatchedSession({ url: url.href, applicationName: 'test' });
    try {
      return (await client.query<{ role: string }>('select current_user as role')).rows[0]?.role;
    } finally {
      await close();
    }
  };

  it('takes passwords as variables and as files, prints none, and leaves roles as they are without one (I10)', async () => {
    const [one, two] = ['first-password-of-it', 'second-password-of-it'];
    const file = join(folder, 'storage-password');
    await writeFile(file, `${two}\n`, { mode: 0o600 });
    const first = await provision(
      { GATEWAY_DATABASE_PASSWORD: one, STORAGE_DATABASE_PASSWORD_FILE: file },
      '--close-to-others',
    );
    expect([first.code, first.err]).toEqual([0, '']);
    const lines = first.out.trim().split('\n');
    expect(lines[0]).toBe(
      `${database.name}_gateway: created, password set, schema accounts created, schema gateway created`,
    );
    expect(lines).toContain(`${database.name}_reader: created, password left as it is`);
    expect(lines.at(-1)).toBe(`database ${database.name}: these roles may connect, and no other`);
    expect(first.out.includes(one) || first.out.includes(two)).toBe(false);
    const again = await provision({}, '--json');
    const report = JSON.parse(again.out) as { roles: { created: boolean; password: string }[] };
    expect(report.roles.map(({ created, password }) => [created, password])).toEqual(
      Array.from({ length: 8 }, () => [false, 'left']),
    );
    expect(await login(`${database.name}_gateway`, one)).toBe(`${database.name}_gateway`);
    expect(await login(`${database.name}_storage`, two)).toBe(`${database.name}_storage`);
  });

  it('changes nothing in a dry run, and takes another prefix of the names', async () => {
    const prefix = `${database.name}_blue_`;
    const dry = await provision({}, '--dry-run', '--role-prefix', prefix);
    expect([dry.code, dry.err]).toEqual([0, '']);
    expect(dry.out).toContain(
      `${prefix}chain_indexer: would be created, password left as it is, schema chain would be`,
    );
    const { rowCount } = await database.pool.query(`select from pg_roles where starts_with(rolname, $1)`, [prefix]);
    expect(rowCount).toBe(0);
    const made = (await provision({}, '--role-prefix', prefix)).out;
    expect(made).toContain(`${prefix}chain_indexer: created`);
    expect(made).toContain(
      `database ${database.name}: every role of the server may connect; --close-to-others changes that`,
    );
  });

  it('says what is invalid without showing it, and what the role lacks', async () => {
    const short = await provision({ READER_DATABASE_PASSWORD: 'too-short' });
    expect([short.code, short.err]).toEqual([1, expect.stringContaining('READER_DATABASE_PASSWORD must be 16 to 200')]);
    expect(short.err).not.toContain('too-short');
    await database.pool.query(`create role ${database.name}_mere login password 'secret'`);
    const url = new URL(database.url);
    url.username = `${database.name}_mere`;
    url.password = 'secret';
    const mere = await provision({ DATABASE_URL: url.href });
    expect([mere.code, mere.err]).toEqual([1, expect.stringContaining('may create no roles: give it CREATEROLE')]);
  });
});
