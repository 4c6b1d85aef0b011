import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';

const program = `
  import { createLogger } from ${JSON.stringify(new URL('logging/logger.ts', import.meta.url).href)};
  import { runService } from ${JSON.stringify(new URL('run-service.ts', import.meta.url).href)};
  const logger = createLogger({ service: 'test', level: 'info' });
  let alive;
  const part = {
    name: 'part',
    start: async () => { alive = setInterval(() => {}, 60_000); },
    leave: async (ms) => logger.info({}, 'leaving for ' + ms),
    stop: async () => clearInterval(alive),
  };
  await runService({ logger, create: () => [part], leaveMs: 7 });
`;

const startService = () =>
  spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: ['ignore', 'pipe', 'inherit'] });

/** So that a service that hangs fails its test, which then ends it. */
const inTime = () => ({ signal: AbortSignal.timeout(30_000) });

describe('a service', () => {
  it('leaves, and then ends, on a signal, and logs both', async () => {
    const service = startService();
    try {
      let log = '';
      service.stdout.setEncoding('utf8').on('data', (text) => {
        log += text;
      });
      await once(service.stdout, 'data', inTime());
      service.kill('SIGTERM');
      expect(await once(service, 'close', inTime())).toEqual([0, null]);
      expect(
        log
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line).msg),
      ).toEqual(['started', 'stopping', 'leaving for 7', 'stopped']);
    } finally {
      service.kill('SIGKILL');
    }
  });

  it('ends as well when nobody reads its log any more', async () => {
    const service = startService();
    try {
      await once(service.stdout, 'data', inTime());
      service.stdout.destroy();
      service.kill('SIGTERM');
      expect(await once(service, 'exit', inTime())).toEqual([0, null]);
    } finally {
      service.kill('SIGKILL');
    }
  });
});
