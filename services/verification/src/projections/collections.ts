import { claimMessages, passGate } from '@indelible/event-store';
import { bytesOfHex, foldName, type Hex } from '@indelible/identifiers';
import type { CollectionRegistered, DataOf } from '@indelible/messages';
import { arrayOf, type Client, type Database } from '@indelible/postgres';
import { consumerName } from './commitments.ts';

/** Lets a rebuilt projection replace this one while the other continues. */
export const collectionsGate = 'verification.collections';

type Registered = DataOf<typeof CollectionRegistered>;

/** Table `collections`; handles CollectionRegistered. Inbox and rows change in one transaction (I5). */
export async function projectCollections(
  database: Pick<Database, 'transaction'>,
  messages: readonly { readonly id: string; readonly data: Registered }[],
): Promise<void> {
  await database.transaction(async (client) => {
    await passGate(client, collectionsGate);
    const unseen = await claimMessages(
      client,
      consumerName,
      messages.map((message) => message.id),
    );
    const fresh = messages.filter((message) => unseen.has(message.id));
    await applyCollections(
      client,
      fresh.map(({ data }) => data),
    );
  });
}

/** Applies registrations in order, in the caller's transaction. */
export async function applyCollections(client: Client, registered: readonly Registered[]): Promise<void> {
  // The last message of an (account, CID) counts: one statement may touch a row once.
  const latest = new Map(registered.map((data) => [`${data.account}:${data.cid}`, data] as const));
  const collections = [...latest.values()];
  await client.query({
    name: 'upsert-collections',
    text: `insert into collections (account, cid, name, folded_name, is_public)
             select * from unnest($1::bytea[], $2::bytea[], $3::text[], $4::text[], $5::boolean[])
             on conflict (account, cid) do update
               set name = excluded.name, folded_name = excluded.folded_name, is_public = excluded.is_public`,
    values: [
      arrayOf.bytea(collections.map((collection) => collection.account)),
      arrayOf.bytea(collections.map((collection) => collection.cid)),
      arrayOf.text(collections.map((collection) => collection.name)),
      arrayOf.text(collections.map((collection) => foldName(collection.name))),
      arrayOf.boolean(collections.map((collection) => collection.isPublic)),
    ],
  });
}

/** Whether this snapshot holds the account's collection. */
export async function holdsCollection(client: Client, account: Hex, cid: Hex): Promise<boolean> {
  const { rowCount } = await client.query('select from collections where account = $1 and cid = $2', [
    bytesOfHex(account),
    bytesOfHex(cid),
  ]);
  return rowCount === 1;
}
