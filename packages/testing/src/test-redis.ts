import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { testAddress } from './environment.ts';

/** The shared Redis, with keys and channels of one test file's own. */
export interface TestRedis {
  readonly url: string;
  /** Begins every key and channel of this test file; ends with a colon. */
  readonly keyPrefix: string;
  /** Deletes all keys that begin with `keyPrefix`. */
  dispose(): Promise<void>;
}

/** The shared Redis and a prefix that nobody else uses. */
export function testRedis(): TestRedis {
  const url = testAddress('redisUrl');
  const keyPrefix = `t${process.pid}-${randomBytes(5).toString('hex')}:`;
  return {
    url,
    keyPrefix,
    dispose: async () => {
      const client = new Redis(url, { maxRetriesPerRequest: 1 });
      try {
        for await (const keys of client.scanStream({ match: `${keyPrefix}*`, count: 500 })) {
          if (keys.length > 0) await client.del(...keys);
        }
      } finally {
        client.disconnect();
      }
    },
  };
}

/** Redis forgets everything it holds, of every test. */
export async function flushRedis(url: string): Promise<void> {
  await runRedisCommand(url, 'FLUSHALL');
}

/** Redis' reply to an administrator. */
export async function runRedisCommand(url: string, command: string, ...args: readonly string[]): Promise<unknown> {
  const client = new Redis(url, { maxRetriesPerRequest: 1 });
  try {
    return await client.call(command, ...args);
  } finally {
    client.disconnect();
  }
}
