import { type Hex, hexOfBytes } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import { UnavailableError, within } from '@indelible/service-runtime';
import type { Scope } from '../keys/scopes.ts';
import type { KeyRecord } from './key-record.ts';

type Row = {
  hash: Buffer;
  id: string;
  account: Buffer;
  scopes: readonly Scope[];
  expiresAt: Date | null;
  revoked: boolean;
  disabled: boolean;
  perSecond: number | null;
  burst: number | null;
};

/** Keys per read, and the most that wait for the next read. */
const batchSize = 1_000;
/** A read that takes longer fails: its callers answer "later" instead of waiting with it. */
const readingTimeoutMs = 5_000;
const late = (): Error => new Error(`Postgres did not respond within ${readingTimeoutMs} ms`);

type Waiting = { readonly hash: Buffer; readonly answer: PromiseWithResolvers<KeyRecord | undefined> };

/** A hash as a key of maps. */
export const nameOfHash = (hash: Buffer): string => hash.toString('base64');

/**
 * Reads keys by their hashes, one statement at a time: keys requested while one is in flight go together into the
 * next, so that a flood of unknown keys takes one connection and no more.
 */
export function createKeyLookup(database: Pick<Database, 'query'>) {
  let waiting: Waiting[] = [];
  let running = false;

  async function run(): Promise<void> {
    running = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        const records = await within(readingTimeoutMs, readKeys(database, batch), late);
        for (const { hash, answer } of batch) answer.resolve(records.get(nameOfHash(hash)));
      } catch (cause) {
        const error = new UnavailableError('API keys cannot be checked now', { cause });
        for (const { answer } of batch) answer.reject(error);
      }
    }
    running = false;
  }

  /**
   * The record with this hash, read after this call.
   * @throws UnavailableError when Postgres is unavailable or too many wait
   */
  return async function lookUp(hash: Buffer): Promise<KeyRecord | undefined> {
    if (waiting.length >= batchSize) throw new UnavailableError('too many API keys wait to be checked');
    const answer = Promise.withResolvers<KeyRecord | undefined>();
    waiting.push({ hash, answer });
    if (!running) void run();
    return answer.promise;
  };
}

async function readKeys(
  database: Pick<Database, 'query'>,
  batch: readonly Waiting[],
): Promise<ReadonlyMap<string, KeyRecord>> {
  const { rows } = await database.query<Row>({
    name: 'read-keys',
    text: `select k.hash, k.id, k.account, k.scopes, k.expires_at as "expiresAt", k.revoked_at is not null as revoked,
             a.disabled_at is not null as disabled,
             a.rate_limit_per_second as "perSecond", a.rate_limit_burst as burst
           from api_keys k
             cross join lateral (select * from accounts where address = k.account limit 1) as a
           where k.hash = any($1::bytea[])`,
    values: [batch.map(({ hash }) => hash)],
  });
  return new Map(rows.map((row) => [nameOfHash(row.hash), recordOf(row)]));
}

function recordOf(row: Row): KeyRecord {
  const account: Hex = hexOfBytes(row.account);
  const { perSecond, burst } = row;
  return {
    key: {
      account,
      keyId: row.id,
      scopes: row.scopes,
      ...(perSecond === null || burst === null ? {} : { rateLimit: { perSecond, burst } }),
    },
    expiresAt: row.expiresAt?.getTime(),
    revoked: row.revoked,
    disabled: row.disabled,
  };
}
