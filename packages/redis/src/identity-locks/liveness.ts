import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { boundedOr } from '../bounded.ts';

const renewMs = 1_000;
const ttlMs = 5_000;

/** The process a lock's holder is of. */
export const instanceOf = (holder: string): string => holder.slice(0, holder.indexOf('/'));

/**
 * One key for each process says that it lives, so that no lock of one that died is waited for, and no lock need be renewed.
 * Whoever is taken for dead and is not loses nothing but the hint that a lock is.
 */
export function createLiveness(redis: Redis, keyPrefix: string, commandTimeoutMs: number) {
  const instance = randomUUID();
  const keyOf = (of: string) => `${keyPrefix}identity-holder:${of}`;
  const tell = () => boundedOr(redis.set(keyOf(instance), '1', 'PX', ttlMs), null, commandTimeoutMs);
  let renewing: NodeJS.Timeout | undefined;

  return {
    instance,
    async start(): Promise<void> {
      renewing = setInterval(() => void tell(), renewMs);
      await tell();
    },
    async stop(): Promise<void> {
      if (renewing === undefined) return;
      clearInterval(renewing);
      await boundedOr(redis.del(keyOf(instance)), 0, commandTimeoutMs);
    },
    /** Also when that cannot be known. */
    isAlive: async (of: string): Promise<boolean> =>
      (await boundedOr(redis.exists(keyOf(of)), 1, commandTimeoutMs)) === 1,
  };
}
