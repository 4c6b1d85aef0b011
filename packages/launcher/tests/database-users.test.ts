import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addressOf, serviceNames } from '@indelible/cli/provisioning';
import { type TestDatabase, testDatabase } from '@indelible/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { provideDatabaseUsers } from '../src/database-users.ts';

const own = { closeToOthers: true };
let database: TestDatabase;
let secretsDir: string;
beforeEach(async () => {
  database = await testDatabase();
  secretsDir = await mkdtemp(join(tmpdir(), 'database-users-'));
});
afterEach(async () => {
  await rm(secretsDir, { recursive: true });
  await database.drop();
});

describe('the users of a local start in the database', () => {
  it('are one for each service, with passwords that the next start finds, for this user alone (I10)', async () => {
    const { value } = await provideDatabaseUsers(database.url, secretsDir, own);
    expect(new Set(serviceNames.map((name) => new URL(value[name]).username)).size).toBe(serviceNames.length);
    const file = join(secretsDir, 'database-passwords.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const kept = await readFile(file, 'utf8');
    expect((await provideDatabaseUsers(database.url, secretsDir, own)).value).toEqual(value);
    expect(await readFile(file, 'utf8')).toBe(kept);
  });

  it("may connect beside those of other programs, but where the database is this installation's own", async () => {
    const isOpen = async (): Promise<unknown> =>
      (
        await database.pool.query(
          `select has_database_privilege('public', current_database(), 'connect') as connect,
             has_database_privilege('public', current_database(), 'temporary') as temporary`,
        )
      ).rows[0];
    await provideDatabaseUsers(database.url, secretsDir, { closeToOthers: false });
    expect(await isOpen()).toEqual({ connect: true, temporary: true });
    await provideDatabaseUsers(database.url, secretsDir, { closeToOthers: true });
    expect(await isOpen()).toEqual({ connect: false, temporary: false });
  });

  it('are the one given where that may create none, and that is said', async () => {
    await database.pool.query(`create role ${database.name}_mere login password 'secret'`);
    const url = addressOf(database.url, `${database.name}_mere`, 'secret');
    const { value, detail } = await provideDatabaseUsers(url, secretsDir, own);
    expect(serviceNames.map((name) => value[name])).toEqual(serviceNames.map(() => url));
    expect(detail).toContain('one for all services');
  });
});
