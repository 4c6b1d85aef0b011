import { setTimeout as delay } from 'node:timers/promises';
import type { AuthenticatedKey } from '@indelible/accounts';
import { setNewest } from '@indelible/service-runtime';
import { Counter, type Registry } from 'prom-client';
import type { RunLimitScript } from './limit-script.ts';

/** A bucket of `burst` requests that fills at `perSecond`. */
export type Allowance = { readonly perSecond: number; readonly burst: number };

/** The rest of a key's bucket after one request. */
export type Taken = {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Until a request is allowed again; 0 when one is. */
  readonly retryAfterMs: number;
  /** Until the bucket is full. */
  readonly resetMs: number;
};

export type RateLimiter = {
  /** Whether the key has a limit: its account's, or the standard one. */
  limits(key: Pick<AuthenticatedKey, 'rateLimit'>): boolean;
  /** Takes one request from the key's bucket; undefined when the key has no limit, or it is unknown. Never rejects. */
  take(key: AuthenticatedKey): Promise<Taken | undefined>;
  /**
   * Takes as many of `wanted` stamps as the key's bucket has, one at least: a stream is paced by it, not refused. The last
   * tenth of the bucket is left to the key's other requests. Rejects with the signal's reason alone.
   */
  takeSome(key: AuthenticatedKey, wanted: number, signal: AbortSignal): Promise<number>;
};

const maxBlocked = 10_000;

/** How often a stream over its rate retries: by then a round trip's worth of tokens is back. */
const paceMs = 100;
/** The part of a bucket that streams leave to other requests. */
const reserved = 0.1;

/** The whole of a request's rate in one round trip, by the clock of Redis: every replica draws on the same bucket. */
const script = `
  local time = redis.call('time')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local rate, burst = tonumber(ARGV[1]) / 1000, tonumber(ARGV[2])
  local state = redis.call('hmget', KEYS[1], 'tokens', 'at')
  local tokens, at = tonumber(state[1]) or burst, tonumber(state[2]) or now
  tokens = math.min(burst, tokens + math.max(0, now - at) * rate)
  local reserve = tonumber(ARGV[4])
  local taken = math.max(0, math.min(tonumber(ARGV[3]), math.floor(tokens - reserve)))
  tokens = tokens - taken
  local full = math.ceil((burst - tokens) / rate)
  redis.call('hset', KEYS[1], 'tokens', string.format('%.6f', tokens), 'at', string.format('%.0f', now))
  redis.call('pexpire', KEYS[1], full + 1000)
  local wait = taken > 0 and 0 or math.max(1, math.ceil((1 + reserve - tokens) / rate))
  return { taken, math.floor(tokens), wait, full }`;

/**
 * Limits requests by key, with token buckets in Redis. Without Redis everything is allowed: a limit protects the
 * service, and must not make it unavailable.
 * @param options.standard for keys whose account has no rate of its own; undefined: no limit
 */
export function createRateLimiter(options: {
  readonly runScript: RunLimitScript;
  readonly standard: Allowance | undefined;
  readonly metrics: Registry;
}): RateLimiter {
  const { standard } = options;
  const decisions = new Counter({
    name: 'indelible_gateway_rate_limit_decisions_total',
    help: 'Requests by what their rate limit said: allowed, limited, or open when Redis did not answer',
    labelNames: ['decision'],
    registers: [options.metrics],
  });
  /** Keys with an empty bucket, and when it has a token again (ms of the process's clock): no need to query Redis. */
  const blocked = new Map<string, { readonly until: number; readonly taken: Taken }>();

  function ofBlocked(keyId: string): Taken | undefined {
    const block = blocked.get(keyId);
    if (block === undefined) return undefined;
    const left = Math.ceil(block.until - performance.now());
    if (left > 0) return { ...block.taken, retryAfterMs: left };
    blocked.delete(keyId);
    return undefined;
  }

  /** The script's result; undefined when Redis does not answer. */
  const takeTokens = (
    keyId: string,
    { perSecond, burst }: Allowance,
    wanted = 1,
    reserve = 0,
  ): Promise<readonly number[] | undefined> =>
    options.runScript(script, `rate:${keyId}`, perSecond, burst, wanted, reserve);

  async function takeOne(keyId: string, allowance: Allowance): Promise<Taken | undefined> {
    const answer = await takeTokens(keyId, allowance);
    if (answer === undefined) return undefined;
    const [taken = 1, remaining = 0, retryAfterMs = 0, resetMs = 0] = answer;
    return { allowed: taken === 1, limit: allowance.burst, remaining, retryAfterMs, resetMs };
  }

  return {
    limits: ({ rateLimit }) => (rateLimit ?? standard) !== undefined,
    async take({ keyId, rateLimit }) {
      const allowance = rateLimit ?? standard;
      if (allowance === undefined) return undefined;
      const taken = ofBlocked(keyId) ?? (await takeOne(keyId, allowance));
      decisions.inc({ decision: taken === undefined ? 'open' : taken.allowed ? 'allowed' : 'limited' });
      if (taken?.allowed === false) {
        const until = performance.now() + taken.retryAfterMs;
        if (!blocked.has(keyId)) setNewest(blocked, keyId, { until, taken }, maxBlocked);
      }
      return taken;
    },
    async takeSome({ keyId, rateLimit }, wanted, signal) {
      const allowance = rateLimit ?? standard;
      if (allowance === undefined) return wanted;
      const reserve = Math.floor(allowance.burst * reserved);
      for (;;) {
        signal.throwIfAborted();
        const [taken = wanted, , waitMs = 0] = (await takeTokens(keyId, allowance, wanted, reserve)) ?? [];
        if (taken > 0) return taken;
        await delay(Math.max(waitMs, paceMs), undefined, { signal });
      }
    },
  };
}
