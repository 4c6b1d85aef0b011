import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { runCommand } from './command-line.ts';

jest.setTimeout(60_000);

describe('indelible seed new', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'indelible-seed-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const create = (...words: string[]) => runCommand(['seed', 'new', ...words], { folder });
  const modeOf = async (name: string): Promise<number> => (await stat(join(folder, name))).mode & 0o777;

  it('writes a seed that nobody else may read, prints nothing of it, and keeps it (I10)', async () => {
    const first = await create('operator.seed');
    expect(first).toMatchObject({ code: 0, err: '' });
    const seed = await readFile(join(folder, 'operator.seed'), 'utf8');
    expect(seed).toMatch(/^[0-9a-f]{64}\n$/);
    expect(first.out).not.toContain(seed.trim());
    expect(await modeOf('operator.seed')).toBe(0o400);
    const second = await create('operator.seed', '--json');
    expect(JSON.parse(second.out)).toEqual({ path: join(folder, 'operator.seed'), created: false });
    expect(await readFile(join(folder, 'operator.seed'), 'utf8')).toBe(seed);
  });

  it('lets the group of a pod read it when that is wanted', async () => {
    await create('group.seed', '--mode', '0440');
    expect(await modeOf('group.seed')).toBe(0o440);
    expect((await create('open.seed', '--mode', '0644')).code).toBe(2);
  });

  it('makes one seed when it runs several times at once', async () => {
    const runs = await Promise.all([1, 2, 3].map(() => create('shared.seed', '--json')));
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(runs.filter(({ out }) => (JSON.parse(out) as { created: boolean }).created)).toHaveLength(1);
  });

  it('refuses a file that others may read, or that holds no seed', async () => {
    await create('operator.seed');
    await chmod(join(folder, 'operator.seed'), 0o644);
    expect(await create('operator.seed')).toMatchObject({ code: 1, err: expect.stringContaining('mode 644') });
    await writeFile(join(folder, 'note.txt'), 'milk, bread', { mode: 0o600 });
    expect(await create('note.txt')).toMatchObject({ code: 1, err: expect.stringContaining('no seed') });
    expect(await readFile(join(folder, 'note.txt'), 'utf8')).toBe('milk, bread');
  });
});
