import { type TestRedis, testRedis } from '@indelible/testing';
import { afterAll, describe, expect, it } from '@jest/globals';
import { boundedOr } from '../src/bounded.ts';
import { closeRedis, createRedis } from '../src/create-redis.ts';
import type { Logger } from '../src/logger.ts';
import { untilReady } from '../src/until-ready.ts';

const createRecorder = () => {
  const warnings: string[] = [];
  const logger: Logger = {
    debug() {},
    info() {},
    warn: (_, message) => warnings.push(message),
    error() {},
    child: () => logger,
  };
  return { logger, warnings };
};

const server: TestRedis = testRedis();
afterAll(() => server.dispose());

describe('a Redis connection', () => {
  it('answers commands when it is ready', async () => {
    const { logger } = createRecorder();
    const redis = createRedis(server.url, { name: 'tests', logger });
    expect(await untilReady(redis, 5000)).toBe(true);
    await redis.set(`${server.keyPrefix}a`, '1', 'PX', 10_000);
    await expect(redis.get(`${server.keyPrefix}a`)).resolves.toBe('1');
    await closeRedis(redis);
    expect(await boundedOr(redis.get('a'), 'away', 250)).toBe('away');
  });

  it('rejects commands at once while its server is away, and warns once of many attempts', async () => {
    const { logger, warnings } = createRecorder();
    const redis = createRedis('redis://127.0.0.1:9', { name: 'tests', logger });
    expect(await untilReady(redis, 500)).toBe(false);
    await expect(redis.get('a')).rejects.toThrow();
    expect(warnings).toEqual(['Redis is away: slower, never wrong']);
    await closeRedis(redis);
  });

  it('never makes its user wait beyond the bound', async () => {
    await expect(boundedOr(new Promise<string>(() => undefined), 'late', 1)).resolves.toBe('late');
  });
});
