import type { AddressedReply } from '@indelible/messages';
import type { Database } from '@indelible/postgres';
import type { Component, Logger } from '@indelible/service-runtime';
import { failWaitingStamps, mostFailed } from '../confirming/fail-stamps.ts';
import { giveUpCollections } from '../confirming/give-up-collections.ts';
import { announceWork } from '../work-channel.ts';
import { findUnserviceableWaiting, releaseRevertedGrants } from './unserviceable-accounts.ts';

/** The most accounts handled in one round; the next round handles others. */
const mostAccounts = 100;

/**
 * Fails what waits for accounts that cannot be stamped for: a request decided while the revocation was read, or a batch
 * that reverted after it (I6). Makes grants again whose transaction reverted.
 * @param onFailed gets the replies to waiting requests, after each transaction
 * @returns how many stamps failed
 */
export async function endUnserviceable(
  database: Database,
  onFailed: (replies: readonly AddressedReply[]) => Promise<void>,
): Promise<number> {
  await database.transaction(async (client) => {
    if ((await releaseRevertedGrants(client)) > 0) await announceWork(client);
  });
  let all = 0;
  for (const { account, refusal } of await findUnserviceableWaiting(database, mostAccounts)) {
    for (let left = true; left; ) {
      const { more, replies } = await database.transaction((client) => giveUpCollections(client, account, refusal));
      await onFailed(replies);
      left = more;
    }
    for (let left = true; left; ) {
      const { failed, replies } = await database.transaction((client) => failWaitingStamps(client, account, refusal));
      all += failed;
      await onFailed(replies);
      left = failed === mostFailed;
    }
  }
  return all;
}

/** Does this every few seconds, on every replica. */
export function createUnserviceableKeeper(options: {
  readonly database: Database;
  readonly send: (replies: readonly AddressedReply[]) => Promise<void>;
  readonly logger: Logger;
  readonly everyMs?: number;
}): Component {
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> | undefined;

  async function look(): Promise<void> {
    try {
      const stamps = await endUnserviceable(options.database, options.send);
      if (stamps > 0) options.logger.info({ stamps }, 'Stamps of accounts without a grant failed');
    } catch (error) {
      options.logger.warn({ err: error }, 'Stamps of accounts without a grant could not be ended; trying again');
    }
    round = undefined;
  }

  return {
    name: 'keeper of accounts without a grant',
    async start() {
      timer = setInterval(() => {
        round ??= look();
      }, options.everyMs ?? 5_000);
    },
    async stop() {
      clearInterval(timer);
      await round;
    },
  };
}
