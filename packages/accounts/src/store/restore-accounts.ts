import type { SignerPort } from '@indelible/ethereum/custody';
import { appendEvents, newEvent } from '@indelible/event-store';
import { bytesOfHex, checksumAddress, type Hex } from '@indelible/identifiers';
import { AccountOpened } from '@indelible/messages';
import type { Client, Database } from '@indelible/postgres';

/** An AccountOpened as it was published. */
export type PublishedAccount = { readonly messageId: string; readonly data: AccountOpened };

/** Addresses tried beyond the last one found: some indexes are never used. */
const furthest = 1_000;

/**
 * Writes accounts that were opened after the backup again: address, persistent id and the index of their key in
 * custody. Nobody else can get their addresses then. Messages have no account name, e-mail address or key: the name is
 * the address until changed, and keys must be created again.
 * @returns those that were written
 * @throws Error when custody does not have the key of one: it is the seed of another installation
 */
export async function restoreAccounts(
  database: Database,
  published: readonly PublishedAccount[],
  signer: Pick<SignerPort, 'address'>,
): Promise<readonly Hex[]> {
  return database.transaction(async (client) => {
    const { rows } = await client.query<{ address: Buffer }>('select address from accounts');
    const known = new Set(rows.map(({ address }) => address.toString('hex')));
    const lost = new Map(
      published.flatMap((one) => (known.has(one.data.account.slice(2)) ? [] : [[one.data.account, one] as const])),
    );
    const restored = [...lost.keys()];
    for (let index = 0, last = 0; lost.size > 0; index++) {
      if (index > last + furthest)
        throw new Error(
          `custody has no key of account ${[...lost.keys()][0]}: is this the seed of another environment?`,
        );
      const address = await signer.address(index);
      const account = lost.get(address);
      if (account !== undefined) await write(client, database.schema, account, index);
      if (account !== undefined || known.has(address.slice(2))) last = index;
      lost.delete(address);
    }
    await client.query(
      `select setval('account_indexes', max(derivation_index)) from accounts
       having max(derivation_index) > (select case when is_called then last_value else -1 end from account_indexes)`,
    );
    return restored;
  });
}

async function write(
  client: Client,
  schema: string,
  { messageId, data }: PublishedAccount,
  index: number,
): Promise<void> {
  await client.query(
    `insert into accounts (address, derivation_index, persistent_id, name, email, description, display_timezone, date_joined)
     values ($1, $2, $3, $4, 'unknown@invalid', '', 'UTC', $5)`,
    [bytesOfHex(data.account), index, data.persistentId, checksumAddress(data.account), data.openedAt],
  );
  const event = newEvent(AccountOpened, data, { stream: `account-${data.account}`, version: 1, id: messageId });
  await appendEvents(client, schema, [event]);
}
