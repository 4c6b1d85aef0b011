import type { ServerResponse } from 'node:http';
import type { AuthenticatedKey } from '@indelible/accounts';
import { HttpError } from '../../errors/http-error.ts';
import type { RateLimiter } from '../../limits/rate-limiter.ts';

const seconds = (ms: number): string => String(Math.ceil(ms / 1000));

/**
 * Counts a request towards its key's rate, and sets the rate limit headers. Undefined for a key without a limit.
 * @throws HttpError 429 with `Retry-After`
 */
export function createRateLimit(limiter: Pick<RateLimiter, 'limits' | 'take'>) {
  return (key: AuthenticatedKey, response: ServerResponse): Promise<void> | undefined =>
    limiter.limits(key) ? limit(key, response) : undefined;

  async function limit(key: AuthenticatedKey, response: ServerResponse): Promise<void> {
    const taken = await limiter.take(key);
    if (taken === undefined) return;
    response.setHeader('RateLimit-Limit', taken.limit);
    response.setHeader('RateLimit-Remaining', taken.remaining);
    response.setHeader('RateLimit-Reset', seconds(taken.resetMs));
    if (taken.allowed) return;
    throw new HttpError(429, 'too many requests', {
      details: 'the rate limit of this API key is reached',
      headers: { 'Retry-After': seconds(taken.retryAfterMs) },
    });
  }
}
