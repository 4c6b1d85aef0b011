import { setTimeout as delay } from 'node:timers/promises';
import type { Hex } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import { createOutageLog, type Logger } from '@indelible/service-runtime';
import { accountsOverShare } from '../decisions/funds-shares.ts';
import { loadSpending } from './account-spending.ts';
import { loadSharedFunds } from './noted-funds.ts';

export type FundsShares = {
  /**
   * The accounts that have used their share of the lanes' funds: nothing new is accepted or signed for them. Never
   * fails, and waits, briefly, only for the first query: shares must not stop accounts within theirs (I11).
   */
  over(): Promise<readonly Hex[]>;
};

/** The most accounts held back: those that spent most. */
const mostAccounts = 1_000;
/** How long the first result is waited for. */
const firstLookMs = 1_000;

/**
 * Shares the lanes' funds among accounts. An account that spent, within the window, as much as all lanes have free is
 * held back until lanes have more or the window has passed, to leave the others their part (I12). Refreshed in the
 * background, at most once per `maxAgeMs`; while that fails, the last result holds.
 */
export function createFundsShares(options: {
  readonly database: Pick<Database, 'query'>;
  /** The window; 0: nothing is shared. */
  readonly hours: number;
  readonly maxAgeMs: number;
  readonly logger: Logger;
  readonly now: () => number;
}): FundsShares & { /** Looks now; fails never. */ look(): Promise<void> } {
  const { database, hours, logger, now } = options;
  let known: ReadonlySet<Hex> = new Set();
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | undefined;
  let first: Promise<void> | undefined;
  const outage = createOutageLog({ logger, waitingFor: 'Postgres, to share what lanes own (DATABASE_URL)', now });

  async function load(): Promise<void> {
    const { freeWei, gasPriceWei, isShared } = await loadSharedFunds(database);
    // While no lane can pay, nothing is accepted from anyone: the accounts over their share remain so.
    if (freeWei === 0n) return;
    const spent =
      freeWei === undefined || !isShared ? [] : await loadSpending(database, hours, gasPriceWei, mostAccounts);
    const over = accountsOverShare({ freeWei: freeWei ?? 0n, isShared }, spent);
    const before = known;
    known = new Set(over.map(({ account }) => account));
    for (const { account, wei } of over)
      if (!before.has(account))
        logger.warn(
          { account, spentWei: wei.toString(), shareWei: String(freeWei), hours },
          'Account has used its share of what lanes own; its stamps wait',
        );
    for (const account of before)
      if (!known.has(account)) {
        const wei = spent.find((one) => one.account === account)?.wei ?? 0n;
        logger.info(
          { account, spentWei: wei.toString(), shareWei: String(freeWei), hours },
          'Account is within its share of what lanes own again',
        );
      }
  }

  function look(): Promise<void> {
    if (hours === 0) return Promise.resolve();
    if (looking === undefined) {
      lookedAt = now();
      looking = load()
        .then(outage.ended, outage.failed)
        .finally(() => {
          looking = undefined;
        });
    }
    return looking;
  }

  return {
    look,
    async over() {
      if (now() - lookedAt >= options.maxAgeMs) void look();
      first ??= Promise.race([looking, delay(firstLookMs, undefined, { ref: false })]);
      await first;
      return [...known];
    },
  };
}
