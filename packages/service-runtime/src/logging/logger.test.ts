import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { databaseSettings } from '../settings/common.ts';
import { readSettings } from '../settings/read-settings.ts';
import { allOf } from '../settings/setting.ts';
import { createLogger } from './logger.ts';

describe('a log', () => {
  it('carries no secret, wherever one was put by mistake (I10)', () => {
    const lines: string[] = [];
    const logger = createLogger({ service: 'test', level: 'info' }, { write: (line) => void lines.push(line) });
    logger.info({ authorization: 'Bearer hush', request: { apiKey: 'hush' }, requestId: 'r1' }, 'asked');
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain('hush');
    expect(JSON.parse(lines[0] as string)).toMatchObject({
      service: 'test',
      version: expect.stringMatching(/^\d+\./),
      level: 'info',
      msg: 'asked',
      requestId: 'r1',
    });
  });
  it('carries no secret of the configuration, wherever a library has put it (I10)', () => {
    const password = 'p/@ss w"ord of a database';
    const url = new URL('postgres://stamping@db:5432/indelible');
    url.password = password;
    readSettings(allOf(databaseSettings), { DATABASE_URL: url.href });
    const lines: string[] = [];
    const logger = createLogger({ service: 'test', level: 'info' }, { write: (line) => void lines.push(line) });
    const err = new Error(`cannot connect to ${url.href}`, { cause: new Error(`refused: ${password}`) });
    logger.child({ from: url.href }).error({ err, deep: { deeper: [password] } }, `failed with ${password}`);
    expect(JSON.parse(lines[0] as string)).toMatchObject({
      from: 'postgres://stamping:[redacted]@db:5432/indelible',
      err: {
        message: 'cannot connect to postgres://stamping:[redacted]@db:5432/indelible',
        causes: ['Error: refused: [redacted]'],
      },
      deep: { deeper: ['[redacted]'] },
      msg: 'failed with [redacted]',
    });
  });
  it('names the causes of an error', () => {
    const lines: string[] = [];
    const logger = createLogger({ service: 'test', level: 'info' }, { write: (line) => void lines.push(line) });
    logger.error({ err: new Error('outer', { cause: new TypeError('inner') }) }, 'failed');
    expect(JSON.parse(lines[0] as string).err).toMatchObject({ message: 'outer', causes: ['TypeError: inner'] });
  });
});

describe('the log of a process', () => {
  const lines = 20_000;
  const program = `
    import { createLogger } from ${JSON.stringify(new URL('logger.ts', import.meta.url).href)};
    const logger = createLogger({ service: 'test', level: 'info' });
    for (let i = 0; i < ${lines}; i++) {
      logger.info({ i, text: 'x'.repeat(1_000) }, 'line');
      if (i % 100 === 0) await new Promise(setImmediate);
    }
    process.send('logged');
    process.channel.unref();
  `;

  it('keeps no more than some of it while nobody reads, and says how much it left out', async () => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    try {
      await once(child, 'message', { signal: AbortSignal.timeout(20_000) });
      const messages = (await text(child.stdout as Readable))
        .trim()
        .split('\n')
        .map((line): { msg: string; lines?: number } => JSON.parse(line));
      const read = messages.filter(({ msg }) => msg === 'line').length;
      expect(read).toBeGreaterThan(1_000);
      expect(read).toBeLessThan(lines / 2);
      const told = messages.reduce((sum, message) => sum + (message.lines ?? 0), 0);
      expect(read + told).toBe(lines);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
