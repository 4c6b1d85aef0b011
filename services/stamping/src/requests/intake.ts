import { type Hex, hexOfBytes } from '@indelible/identifiers';
import type { Refusal } from '@indelible/messages';
import type { Database } from '@indelible/postgres';
import type { FundsShares } from '../batching/funds-shares.ts';
import { lateFactor, shareOf } from '../decisions/waiting-places.ts';

/** Whether new stamps and collections are taken now; otherwise clients are to come again later. Joins and repeats go on. */
export type Intake = { look(): Promise<IntakeNow> };

export type IntakeNow = {
  /** Why this request is not taken, when this batch of requests lets `added` more of its account wait, of `addedByAll`. */
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
 * Decisions take milliseconds. Whoever asked longer ago, in ms, may have been told that the stamp goes on (docs/interface.md,
 * Stamps). A gateway waits at least 5 s for a decision, unless WAIT_LIMIT_MS is less; the rest is for staging content, and for clocks that differ.
 */
const lateAfterMs = 2_000;

/** Of so many accounts with the most that waits it is known how much; of the others next to nothing waits. */
const mostAccounts = 1_000;

/**
 * Watches how much waits, of whom, and whether any held lane can pay, asked for at most once per `maxAgeMs`: what comes in
 * faster than the chain carries it is refused before it piles up, and whoever has much waiting, or has spent much of what lanes
 * own, is refused first (I12). A late request waits for funds, and has more places.
 */
export function createIntake(options: {
  readonly database: Pick<Database, 'query'>;
  readonly maxWaiting: number;
  readonly shares: FundsShares;
  readonly maxAgeMs: number;
  readonly now: () => number;
}): Intake {
  let known: { at: number; now: Promise<IntakeNow> } | undefined;

  async function look(): Promise<IntakeNow> {
    const { rows } = await options.database.query<{ account: Buffer | null; waiting: number; paused: boolean }>({
      name: 'look-at-intake',
      text: `with waiting as (
               (select account from waiting_stamps limit $1::bigint)
               union all
               (select account from collections
                where created_block is null and batch_id is null and reverted_batches = 0
                order by account, id limit $1::bigint)),
             counted as (select account, count(*) as waiting from waiting group by account)
             (select null as account, (select count(*) from waiting) as waiting,
                coalesce((select bool_and(low_funds) from lanes where lease_until > now()), false) as paused)
             union all
             (select account, waiting, false from counted order by waiting desc limit $2)`,
      values: [lateFactor * options.maxWaiting, mostAccounts],
    });
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
      if (known === undefined || options.now() - known.at >= options.maxAgeMs) {
        const now = look();
        known = { at: options.now(), now };
        now.catch(() => {
          known = undefined;
        });
      }
      return known.now;
    },
  };
}
