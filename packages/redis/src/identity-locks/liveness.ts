import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { boundedOr } from '../bounded.ts';

const renewMs = 1_000;
const ttlMs = 5_000;

/** The process of a lock's holder. */
export const instanceOf = (holder: string): string => holder.slice(0, holder.indexOf('/'));

/**
 * One key per process shows that it lives, so that nobody waits for a dead process's lock, and no lock needs renewal. A
 * live process taken for dead loses only the hint that a lock is.
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
    /** True also if unknown. */
    isAlive: async (of: string): Promise<boolean> =>
      (await boundedOr(redis.exists(keyOf(of)), 1, commandTimeoutMs)) === 1,
  };
}
