import { claimMessages } from '@indelible/event-store';
import { bytesOfHex, foldName } from '@indelible/identifiers';
import type { CollectionRegistered, DataOf } from '@indelible/messages';
import type { Database } from '@indelible/postgres';
import { consumerName } from './commitments.ts';

/** Table `collections`; handles CollectionRegistered. Inbox and rows change in one transaction (I5). */
export async function projectCollections(
  database: Pick<Database, 'transaction'>,
  messages: readonly { readonly id: string; readonly data: DataOf<typeof CollectionRegistered> }[],
): Promise<void> {
  await database.transaction(async (client) => {
    const unseen = await claimMessages(
      client,
      consumerName,
      messages.map((message) => message.id),
    );
    // The last message of an (account, CID) counts: one statement may touch a row once.
    const latest = new Map(
      messages
        .filter((message) => unseen.has(message.id))
        .map(({ data }) => [`${data.account}:${data.cid}`, data] as const),
    );
    const collections = [...latest.values()];
    await client.query({
      name: 'upsert-collections',
      text: `insert into collections (account, cid, name, folded_name, is_public)
             select * from unnest($1::bytea[], $2::bytea[], $3::text[], $4::text[], $5::boolean[])
             on conflict (account, cid) do update
               set name = excluded.name, folded_name = excluded.folded_name, is_public = excluded.is_public`,
      values: [
        collections.map((collection) => bytesOfHex(collection.account)),
        collections.map((collection) => bytesOfHex(collection.cid)),
        collections.map((collection) => collection.name),
        collections.map((collection) => foldName(collection.name)),
        collections.map((collection) => collection.isPublic),
      ],
    });
  });
}
