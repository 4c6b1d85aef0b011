export { Redis } from 'ioredis';
export { boundedOr } from './bounded.ts';
export {
  type CreateRedisOptions,
  closeRedis,
  createRedis,
  createSubscriber,
  defaultCommandTimeoutMs,
} from './create-redis.ts';
export type { Logger } from './logger.ts';
export { untilReady } from './until-ready.ts';
