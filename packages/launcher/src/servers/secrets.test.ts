import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { provideSecrets } from './secrets.ts';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'secrets-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

describe('the passwords of a data folder', () => {
  it('are made once, for this user alone (I10)', async () => {
    const made = await provideSecrets(dataDir);
    expect(new Set(Object.values(made)).size).toBe(3);
    expect(await provideSecrets(dataDir)).toEqual(made);
    expect((await stat(join(dataDir, 'secrets.json'))).mode & 0o777).toBe(0o600);
  });

  it('of an earlier version stay, and what that did not know is made', async () => {
    const before = { databasePassword: 'one', registryPassword: 'two' };
    await writeFile(join(dataDir, 'secrets.json'), JSON.stringify(before), { mode: 0o600 });
    const made = await provideSecrets(dataDir);
    expect(made).toMatchObject(before);
    expect(made.redisPassword).toMatch(/^[\w-]{32}$/);
    expect(JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8'))).toEqual(made);
  });
});
