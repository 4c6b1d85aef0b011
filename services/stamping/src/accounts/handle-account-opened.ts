import { claimMessages } from '@indelible/event-store';
import type { Hex } from '@indelible/identifiers';
import type { IncomingMessage } from '@indelible/kafka';
import type { AccountOpened } from '@indelible/messages';
import { arrayOf, type Database } from '@indelible/postgres';
import { PermanentError } from '@indelible/service-runtime';
import { lockCursor } from '../confirming/cursor.ts';
import { announceWork } from '../work-channel.ts';
import { deriveDelegations } from './delegations.ts';

const consumer = 'stamping.accounts';

/**
 * Stores accounts and their signed grants, which a batcher then records on chain; requests of an account wait for its
 * grant. A grant for another operator, contract or chain cannot allow stamping, and is refused.
 */
export async function handleAccountsOpened(
  dependencies: {
    readonly database: Database;
    readonly operator: Hex;
    readonly contract: Hex;
    readonly chainId: number;
  },
  messages: readonly IncomingMessage<typeof AccountOpened>[],
): Promise<void> {
  for (const { data } of messages) {
    const { grant } = data;
    if (
      grant.delegate !== dependencies.operator ||
      grant.contract !== dependencies.contract ||
      grant.chainId !== dependencies.chainId
    )
      throw new PermanentError(
        `the grant of ${data.account} is for ${grant.delegate} at ${grant.contract} on chain ${grant.chainId}, not for this service`,
      );
  }
  await dependencies.database.transaction(async (client) => {
    // Not in a transaction that reads the chain: each sees what the other stored, and locks the cursor first.
    await lockCursor(client, dependencies.chainId);
    const unseen = await claimMessages(
      client,
      consumer,
      messages.map((message) => message.id),
    );
    const opened = messages.filter((message) => unseen.delete(message.id)).map((message) => message.data);
    if (opened.length === 0) return;
    await client.query({
      name: 'insert-accounts',
      text: `insert into accounts (account, grant_nonce, grant_signature, opened_at)
             select * from unnest($1::bytea[], $2::bigint[], $3::bytea[], $4::timestamptz[]) on conflict do nothing`,
      values: [
        arrayOf.bytea(opened.map((account) => account.account)),
        arrayOf.bigint(opened.map((account) => account.grant.nonce)),
        arrayOf.bytea(opened.map((account) => account.grant.signature)),
        arrayOf.timestamptz(opened.map((account) => account.openedAt)),
      ],
    });
    // An account may be opened after its grant was read.
    await deriveDelegations(
      client,
      opened.map(({ account }) => account),
    );
    await announceWork(client);
  });
}
