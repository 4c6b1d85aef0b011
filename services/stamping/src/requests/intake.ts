import { type Hex, hexOfBytes } from '@indelible/identifiers';
import type { Refusal } from '@indelible/messages';
import type { Database } from '@indelible/postgres';
import type { FundsShares } from '../batching/funds-shares.ts';
import { lateFactor, shareOf } from '../decisions/waiting-places.ts';

/**
 * Whether new stamps and collections are accepted; otherwise clients must retry later. Joins and repeats always are.
 */
export type Intake = { look(): Promise<IntakeNow> };

export type IntakeNow = {
  /**
   * Why this request is refused, when this batch of requests lets `added` more of its account wait, of `addedByAll`.
   */
  refuse(
    request: { readonly account: Hex; readonly requestedAt: string },
    added: number,
    addedByAll: number,
  ): Refusal | undefined;
};

const outOfFunds: Refusal = { code: 'out-of-funds', message: 'stamping is paused: no lane can pay for transactions' };
const outOfShare: Refusal = {
  code: 'out-of-funds',
  message: 'this account has used its share of what there is to pay for transactions: come again later',
};
const busy: Refusal = { code: 'too-busy', message: 'more stamps wait for the chain than it carries: come again later' };

/**
 * Decisions take milliseconds. The client of a request older than this, in ms, may already have been sent an acceptance
 * (docs/interface.md, Stamps). A gateway waits at least 5 s for a decision, unless WAIT_LIMIT_MS is less; the rest is
 * for staging content and clock differences.
 */
const lateAfterMs = 2_000;

/** Shares are computed from this many accounts, those with the most waiting stamps; the others have almost none. */
const mostAccounts = 1_000;

/** Expiry of a result. */
type Age = { until: number };

/** Pause before the next query, as a multiple of this query's duration: costs Postgres little, however much waits. */
const restFactor = 20;
const longestRestMs = 1_000;

/**
 * Watches how much waits, for which accounts, and whether any held lane can pay, at most once per `maxAgeMs`. What
 * arrives faster than the chain takes it is refused before it piles up, first from an account that has much waiting or
 * has spent much of the lanes' funds (I12). A late request waits for funds, and has more places.
 */
export function createIntake(options: {
  readonly database: Pick<Database, 'query'>;
  readonly maxWaiting: number;
  readonly shares: FundsShares;
  readonly maxAgeMs: number;
  readonly now: () => number;
}): Intake {
  let known: { readonly age: Age; readonly now: Promise<IntakeNow> } | undefined;

  async function look(age: Age): Promise<IntakeNow> {
    const began = options.now();
    const { rows } = await options.database.query<{ account: Buffer | null; waiting: number; paused: boolean }>({
      name: 'look-at-intake',
      text: `with counted as materialized (
               select account, count(*) as waiting from (
                 (select account from waiting_stamps limit $1::bigint)
                 union all
                 (select account from collections
                  where created_block is null and batch_id is null and reverted_batches = 0
                  order by account, id limit $1::bigint)) as waiting
               group by account)
             (select null as account, (select coalesce(sum(waiting), 0)::bigint from counted) as waiting,
                coalesce((select bool_and(low_funds) from lanes where lease_until > now()), false) as paused)
             union all
             (select account, waiting, false from counted order by waiting desc limit $2)`,
      values: [lateFactor * options.maxWaiting, mostAccounts],
    });
    const rest = Math.min((options.now() - began) * restFactor, longestRestMs);
    age.until = began + Math.max(options.maxAgeMs, rest);
    const all = rows.find(({ account }) => account === null);
    const byAccount = new Map(
      rows.flatMap((row) => (row.account === null ? [] : [[hexOfBytes(row.account), row.waiting] as const])),
    );
    const taken = all?.waiting ?? 0;
    const waiting = [...byAccount.values()];
    const latePlaces = lateFactor * options.maxWaiting;
    const lateShare = shareOf({ all: latePlaces, taken, waiting });
    const share = Math.min(shareOf({ all: options.maxWaiting, taken, waiting }), latePlaces - taken);
    const isPaused = all?.paused === true;
    const over = new Set(await options.shares.over());
    return {
      refuse({ account, requestedAt }, added, addedByAll) {
        const isLate = Date.now() - Date.parse(requestedAt) > lateAfterMs;
        if (isPaused && !isLate) return outOfFunds;
        if (over.has(account)) return outOfShare;
        const own = (byAccount.get(account) ?? 0) + added;
        return own < (isLate ? lateShare : share) - addedByAll ? undefined : busy;
      },
    };
  }

  return {
    look() {
      if (known === undefined || options.now() >= known.age.until) {
        const age = { until: options.now() + options.maxAgeMs };
        const now = look(age);
        known = { age, now };
        now.catch(() => {
          known = undefined;
        });
      }
      return known.now;
    },
  };
}
