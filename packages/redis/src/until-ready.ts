import type { Redis } from 'ioredis';

/** Whether the connection is ready, now or within the time. Never rejects. */
export const untilReady = (redis: Redis, timeoutMs: number): Promise<boolean> => {
  if (redis.status === 'ready') return Promise.resolve(true);
  return new Promise((resolve) => {
    const settle = (ready: boolean) => {
      clearTimeout(timer);
      redis.off('ready', onReady);
      resolve(ready);
    };
    const onReady = () => settle(true);
    const timer = setTimeout(() => settle(false), timeoutMs);
    redis.once('ready', onReady);
  });
};
