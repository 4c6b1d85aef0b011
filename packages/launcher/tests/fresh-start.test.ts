import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { forgetEverything } from '../src/fresh-start.ts';
import { lockDirectory } from '../src/servers.ts';

let local: string;
beforeEach(async () => {
  local = await mkdtemp(join(tmpdir(), 'fresh-start-'));
  await mkdir(join(local, 'data'));
  await writeFile(join(local, 'data', 'kept'), '');
  await mkdir(join(local, 'secrets'));
  await writeFile(join(local, 'secrets', 'custody.seed'), 'seed');
});
afterEach(() => rm(local, { recursive: true, force: true }));

const forget = (more: { given?: string[]; deleteSecrets?: boolean } = {}) =>
  forgetEverything({
    dataDir: join(local, 'data'),
    secretsDir: join(local, 'secrets'),
    given: [],
    deleteSecrets: false,
    now: new Date('2026-01-02T03:04:05.006Z'),
    ...more,
  });

describe('npm start -- --fresh', () => {
  it('removes the data and puts the seeds aside, and says where', async () => {
    const aside = join(local, 'secrets.2026-01-02T03-04-05-006Z');
    expect(await forget()).toContain(aside);
    expect(await readFile(join(aside, 'custody.seed'), 'utf8')).toBe('seed');
    expect(await readdir(local)).toEqual(['secrets.2026-01-02T03-04-05-006Z']);
    expect(await forget()).toBeUndefined();
  });

  it('deletes the seeds only when that is confirmed', async () => {
    await forget({ deleteSecrets: true });
    expect(await readdir(local)).toEqual([]);
  });

  it('is refused beside servers given by address, and removes nothing then', async () => {
    await expect(forget({ given: ['DATABASE_URL', 'RPC_URL'] })).rejects.toThrow('DATABASE_URL, RPC_URL name');
    await expect(forget({ given: ['RPC_URL'], deleteSecrets: true })).rejects.toThrow('RPC_URL names');
    expect((await readdir(local)).sort()).toEqual(['data', 'secrets']);
  });

  it('is refused beside a start that runs, and names its process', async () => {
    const lock = await lockDirectory(join(local, 'data'));
    await expect(forget()).rejects.toThrow(`Process ${process.pid} is already running`);
    expect((await readdir(local)).sort()).toEqual(['data', 'secrets']);
    await lock.release();
  });
});
