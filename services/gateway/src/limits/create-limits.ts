import type { Redis } from '@indelible/redis';
import type { Logger } from '@indelible/service-runtime';
import type { Registry } from 'prom-client';
import type { Config } from '../config.ts';
import { createDailyQuotas } from './daily-quotas.ts';
import { createLimitScripts } from './limit-script.ts';
import { createRateLimiter } from './rate-limiter.ts';

/** The rate of each API key and the daily quotas of each account, counted in Redis. */
export function createLimits(
  config: Pick<Config, 'topicPrefix' | 'accountStampsPerDay' | 'accountBytesPerDay' | 'rateLimit'>,
  { redis, logger, metrics }: { readonly redis: Redis; readonly logger: Logger; readonly metrics: Registry },
) {
  const runScript = createLimitScripts({ redis, keyPrefix: config.topicPrefix, logger });
  const perDay = { stamps: config.accountStampsPerDay, bytes: config.accountBytesPerDay };
  return {
    quotas: createDailyQuotas({ runScript, perDay, logger, metrics }),
    rateLimiter: createRateLimiter({ runScript, standard: config.rateLimit, metrics }),
  };
}
