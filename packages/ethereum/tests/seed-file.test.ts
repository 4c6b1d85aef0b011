import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readOrCreateSeedFile, seedFromHexOrFile } from '../src/custody/seed-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'seed-file-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a seed file', () => {
  it('is made once, for its owner alone, and read ever after', async () => {
    const path = join(folder, 'seed');
    const seed = await readOrCreateSeedFile(path);
    expect(seed).toHaveLength(32);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readOrCreateSeedFile(path)).toEqual(seed);
    expect(await seedFromHexOrFile(path)).toEqual(seed);
    expect(await readdir(folder)).toEqual(['seed']);
  });
  it('is one and the same for all who make it at once', async () => {
    const path = join(folder, 'seed');
    const seeds = await Promise.all(Array.from({ length: 10 }, () => readOrCreateSeedFile(path)));
    expect(new Set(seeds.map((seed) => Buffer.from(seed).toString('hex'))).size).toBe(1);
    expect(await readdir(folder)).toEqual(['seed']);
  });
  it('is refused when others may read it, and when it holds no seed; no message has any of it (I10)', async () => {
    const path = join(folder, 'seed');
    await readOrCreateSeedFile(path);
    await chmod(path, 0o644);
    await expect(readOrCreateSeedFile(path)).rejects.toThrow('may be read by others');
    await chmod(path, 0o640);
    expect(await readOrCreateSeedFile(path)).toHaveLength(32);
    await writeFile(path, 'secret words that are no hex');
    const refusal = await readOrCreateSeedFile(path).catch((error: Error) => error);
    expect(refusal).toMatchObject({ message: expect.stringContaining('holds no seed') });
    expect(String(refusal)).not.toContain('secret');
    expect(await readFile(path, 'utf8')).toContain('secret');
  });
  it('may be given as hex instead; what is neither is in no message (I10)', async () => {
    const hex = 'ab'.repeat(32);
    expect(await seedFromHexOrFile(hex)).toEqual(Buffer.from(hex, 'hex'));
    expect(await seedFromHexOrFile(`0x${hex}`)).toEqual(Buffer.from(hex, 'hex'));
    const mistyped = `${hex}0`;
    const refusal = await seedFromHexOrFile(mistyped).catch((error: Error) => error);
    expect(refusal).toMatchObject({ message: expect.stringContaining('neither hex') });
    expect(String(refusal)).not.toContain(hex);
  });
});
