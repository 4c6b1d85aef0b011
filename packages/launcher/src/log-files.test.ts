import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openLogFiles } from './log-files.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'log-files-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('the logs of a start', () => {
  it('follow those of the start before, which may say why it ended', async () => {
    for (const line of ['crashed', 'started']) {
      const logs = openLogFiles(folder);
      logs.write('gateway', line);
      await logs.close();
    }
    expect(await readFile(join(folder, 'gateway.log'), 'utf8')).toBe('crashed\nstarted\n');
    expect((await stat(join(folder, 'gateway.log'))).mode & 0o777).toBe(0o600);
  });

  it('take a bounded room, however much is written', async () => {
    const logs = openLogFiles(folder, { fileBytes: 1_000 });
    for (let i = 0; i < 1_000; i++) logs.write('gateway', `line ${i} ${'x'.repeat(80)}`);
    await logs.close();
    expect(await readdir(folder)).toEqual(['gateway.log', 'gateway.log.1']);
    for (const name of await readdir(folder)) expect((await stat(join(folder, name))).size).toBeLessThan(1_100);
    expect(await readFile(join(folder, 'gateway.log'), 'utf8')).toContain('line 999 ');
  });
});
