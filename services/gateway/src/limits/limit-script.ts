import { boundedOr, type Redis } from '@indelible/redis';
import { createOutageLog, type Logger } from '@indelible/service-runtime';

/** How long a request waits for Redis. */
const redisLimitMs = 250;
/** How long Redis is not queried after it did not answer. */
const pauseMs = 1_000;

/**
 * Runs a limit's script on its key. Undefined when Redis does not respond in time, and at once for a second afterwards:
 * a limit protects the service, and must not make it slow or unavailable. Never rejects.
 */
export type RunLimitScript = (
  script: string,
  key: string,
  ...values: readonly number[]
) => Promise<readonly number[] | undefined>;

export function createLimitScripts(options: {
  readonly redis: Pick<Redis, 'eval' | 'status'>;
  readonly keyPrefix: string;
  readonly logger: Logger;
}): RunLimitScript {
  const { redis, keyPrefix, logger } = options;
  const outage = createOutageLog({
    logger,
    waitingFor: `Redis to answer within ${redisLimitMs} ms; meanwhile rates and quotas are not limited`,
  });
  let openUntil = 0;
  return async (script, key, ...values) => {
    if (performance.now() < openUntil) return undefined;
    const answering = redis.eval(script, 1, `${keyPrefix}${key}`, ...values);
    const answer = (await boundedOr(answering, undefined, redisLimitMs)) as readonly number[] | undefined;
    if (answer === undefined) {
      openUntil = performance.now() + pauseMs;
      // The client reports a lost connection.
      if (redis.status === 'ready') outage.failed(new Error('no answer'));
    } else outage.ended();
    return answer;
  };
}
