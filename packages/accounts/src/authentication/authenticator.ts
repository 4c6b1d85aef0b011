import type { Database } from '@indelible/postgres';
import type { Component, Logger } from '@indelible/service-runtime';
import { hasApiKeyShape, hashApiKey } from '../keys/api-key.ts';
import { type CachedKey, createKeyCache } from './key-cache.ts';
import { createKeyLookup, nameOfHash } from './key-lookup.ts';
import { type AuthenticatedKey, type AuthenticationFault, judgeKey } from './key-record.ts';
import { createKeyUsage } from './key-usage.ts';

export type Authenticator = Component & {
  /**
   * The key and account of the token. Needs no query while the cache entry is younger than its TTL; a revoked key, or
   * one of a disabled account, is refused after that time at the latest, on every replica.
   * @param bearerToken the API key alone, without the word `Bearer`
   * @param now ms since 1970
   * @throws UnavailableError when a read is needed and Postgres is unavailable
   */
  authenticate(bearerToken: string, now: number): Promise<AuthenticatedKey | AuthenticationFault>;
  /** What {@link Authenticator.authenticate} returns if it needs no query; otherwise undefined. */
  known(bearerToken: string, now: number): AuthenticatedKey | AuthenticationFault | undefined;
};

/**
 * Checks API keys. Started, it notes their last uses every `usageIntervalMs`, in the background; stopping writes the rest.
 * @param options.database of the schema of accounts
 * @param options.maxEntries how many keys in use are remembered, and as many unknown ones
 */
export function createAuthenticator(options: {
  readonly database: Pick<Database, 'query'>;
  readonly logger: Logger;
  readonly cacheTtlMs?: number;
  readonly maxEntries?: number;
  readonly usageIntervalMs?: number;
}): Authenticator {
  const { database, logger, maxEntries = 10_000 } = options;
  const cache = createKeyCache({ ttlMs: options.cacheTtlMs ?? 2_000, maxEntries });
  const lookUp = createKeyLookup(database);
  const usage = createKeyUsage({ database, maxEntries });
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  /** Reads in flight, shared by all callers with the same key. Age counts from the first caller. */
  const readings = new Map<string, Promise<CachedKey>>();

  function read(name: string, hash: Buffer, now: number): Promise<CachedKey> {
    const reading = lookUp(hash)
      .then((record) => {
        cache.keep(name, record, now);
        return { record };
      })
      .finally(() => readings.delete(name));
    readings.set(name, reading);
    return reading;
  }

  const writeUsage = (): Promise<void> => {
    writing = writing
      .then(() => usage.write())
      .catch((error: unknown) => logger.warn({ err: error }, 'the last uses of API keys could not be written'));
    return writing;
  };

  function judge({ record }: CachedKey, now: number): AuthenticatedKey | AuthenticationFault {
    const answer = judgeKey(record, now);
    if (!('fault' in answer)) usage.note(answer.keyId, now);
    return answer;
  }

  return {
    name: 'authenticator',
    async start() {
      timer ??= setInterval(writeUsage, options.usageIntervalMs ?? 60_000).unref();
    },
    async stop() {
      clearInterval(timer);
      timer = undefined;
      await writeUsage();
    },
    async authenticate(bearerToken, now) {
      if (!hasApiKeyShape(bearerToken)) return { fault: 'malformed' };
      const hash = hashApiKey(bearerToken);
      const name = nameOfHash(hash);
      return judge(cache.find(name, now) ?? (await (readings.get(name) ?? read(name, hash, now))), now);
    },
    known(bearerToken, now) {
      if (!hasApiKeyShape(bearerToken)) return { fault: 'malformed' };
      const found = cache.find(nameOfHash(hashApiKey(bearerToken)), now);
      return found === undefined ? undefined : judge(found, now);
    },
  };
}
