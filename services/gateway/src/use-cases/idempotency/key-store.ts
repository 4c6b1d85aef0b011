import type { Hex } from '@indelible/identifiers';
import { arrayOf, type Database } from '@indelible/postgres';
import type { StampAnswer } from '../stamping/stamp.ts';

/** A key as used by one account. */
export type AccountKey = { readonly account: Hex; readonly key: string };

/** What is kept of a request with a 2xx response. */
export type KeptAnswer = Extract<StampAnswer, { kind: 'created' | 'repeated' | 'accepted' }>;

export type Taken =
  /** Taken by this request. `resumed`: an earlier request with the key has no known outcome. */
  | { readonly kind: 'taken'; readonly generation: string; readonly resumed: boolean }
  /**
   * A request with this key has its outcome, as first returned: a reorg may have changed its receipt since
   * (current-answer.ts).
   */
  | { readonly kind: 'kept'; readonly fingerprint: Buffer; readonly answer: KeptAnswer }
  /** A request with this key is in flight, here or on another replica. */
  | { readonly kind: 'held'; readonly fingerprint: Buffer };

export type KeyStore = ReturnType<typeof createKeyStore>;

/** How long a holder counts as alive without a heartbeat. */
const leaseMs = 10_000;

/** The rows of `idempotency_keys`. All times are the database's, so replicas' clocks need not agree. */
export function createKeyStore(database: Pick<Database, 'query'>) {
  return {
    /** Takes a key that is new, expired, freed, or whose holder had no heartbeat for longer than its lease. */
    async take(
      { account, key }: AccountKey,
      by: { readonly fingerprint: Buffer; readonly holder: string; readonly generation: string },
    ): Promise<Taken> {
      for (;;) {
        const { rows } = await database.query<{ generation: string }>({
          name: 'take-idempotency-key',
          text: `
            insert into idempotency_keys as k (account, key, generation, fingerprint, holder, lease_until, expires_at)
            values ($1, $2, $3, $4, $5, now() + $6 * interval '1 millisecond', now() + interval '24 hours')
            on conflict (account, key) do update set
              generation = case when k.expires_at <= now() then excluded.generation else k.generation end,
              fingerprint = excluded.fingerprint, holder = excluded.holder, lease_until = excluded.lease_until,
              stamp_id = null, outcome = null, expires_at = excluded.expires_at
            where k.expires_at <= now() or (k.outcome is null and (k.holder is null or k.lease_until <= now()))
            returning generation`,
          values: [account, key, by.generation, by.fingerprint, by.holder, leaseMs],
        });
        const [taken] = rows;
        if (taken !== undefined)
          return { kind: 'taken', generation: taken.generation, resumed: taken.generation !== by.generation };
        const found = await find(database, { account, key });
        if (found !== undefined) return found;
      }
    },

    /** Keeps an outcome for 24 hours, unless the key is no longer the holder's. */
    async keep({ account, key }: AccountKey, holder: string, answer: KeptAnswer): Promise<void> {
      await database.query({
        name: 'keep-idempotency-key',
        text: `update idempotency_keys set outcome = $4, stamp_id = $5, holder = null, lease_until = null,
                 expires_at = now() + interval '24 hours'
               where account = $1 and key = $2 and holder = $3`,
        values: [account, key, holder, JSON.stringify(answer), answer.stampId],
      });
    },

    /** Anyone may take the key; the same request still is the same command. */
    async free({ account, key }: AccountKey, holder: string): Promise<void> {
      await database.query({
        name: 'free-idempotency-key',
        text: `update idempotency_keys set holder = null, lease_until = null
               where account = $1 and key = $2 and holder = $3`,
        values: [account, key, holder],
      });
    },

    /** Forgets the key: the same request is a new command. */
    async forget({ account, key }: AccountKey, holder: string): Promise<void> {
      await database.query({
        name: 'forget-idempotency-key',
        text: 'delete from idempotency_keys where account = $1 and key = $2 and holder = $3',
        values: [account, key, holder],
      });
    },

    /** The holders' heartbeat. */
    async renew(held: readonly (AccountKey & { readonly holder: string })[]): Promise<void> {
      await database.query({
        name: 'renew-idempotency-keys',
        // Checks the holder again: another request may have taken the key meanwhile.
        text: `update idempotency_keys set lease_until = now() + $4 * interval '1 millisecond'
               where ctid = any(array(
                 select k.place from unnest($1::text[], $2::text[], $3::uuid[]) as h (account, key, holder)
                 cross join lateral (
                   select ctid as place from idempotency_keys
                   where account = h.account and key = h.key and holder = h.holder limit 1) as k))
                 and holder = any($3::uuid[])`,
        values: [
          arrayOf.text(held.map((one) => one.account)),
          arrayOf.text(held.map((one) => one.key)),
          arrayOf.uuid(held.map((one) => one.holder)),
          leaseMs,
        ],
      });
    },

    /** Removes at most `limit` expired rows; returns how many. */
    async prune(limit: number): Promise<number> {
      const { rowCount } = await database.query(
        'delete from idempotency_keys where ctid in (select ctid from idempotency_keys where expires_at <= now() limit $1)',
        [limit],
      );
      return rowCount ?? 0;
    },
  };
}

type Row = { readonly fingerprint: Buffer; readonly outcome: KeptAnswer | null };

async function find(
  database: Pick<Database, 'query'>,
  { account, key }: AccountKey,
): Promise<Exclude<Taken, { kind: 'taken' }> | undefined> {
  const { rows } = await database.query<Row>({
    name: 'find-idempotency-key',
    text: `select fingerprint, outcome from idempotency_keys
           where account = $1 and key = $2 and expires_at > now()`,
    values: [account, key],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  const { fingerprint, outcome } = row;
  if (outcome === null) return { kind: 'held', fingerprint };
  return { kind: 'kept', fingerprint, answer: outcome };
}
