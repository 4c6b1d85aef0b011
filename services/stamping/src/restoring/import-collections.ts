import { bytesOfHex, foldName } from '@indelible/identifiers';
import { type IncomingMessage, isMessage } from '@indelible/kafka';
import { CollectionCreated, CollectionCreatedV1, CollectionRegistered, CollectionReverted } from '@indelible/messages';
import type { Client } from '@indelible/postgres';
import { collectionStream } from '../collection-stream.ts';
import { appendImported, unknownEvents } from './known-events.ts';

export const collectionEvents = [CollectionRegistered, CollectionCreatedV1, CollectionCreated, CollectionReverted];

/** Skips ids that were returned to clients, but whose collections no event names. */
const idsLeftOut = 1_000;

/** Imports published events of collections that the database lacks. @returns how many events */
export async function importCollections(client: Client, messages: readonly IncomingMessage[]): Promise<number> {
  const ofStreams = messages.flatMap((message) => {
    const isOne = collectionEvents.some((contract) => isMessage(message, contract));
    return isOne ? [{ message, stream: collectionStream((message.data as CollectionRegistered).collectionId) }] : [];
  });
  let imported = 0;
  for (const one of await unknownEvents(client, ofStreams)) {
    const version = await applyCollection(client, one.message);
    if (version === undefined) continue;
    await appendImported(client, one, version);
    imported++;
  }
  return imported;
}

/** @returns the new version of the collection's stream; undefined when the message changes nothing */
async function applyCollection(client: Client, message: IncomingMessage): Promise<number | undefined> {
  if (isMessage(message, CollectionRegistered)) {
    const { data } = message;
    const { rowCount } = await client.query(
      `insert into collections (id, account, cid, name, name_folded, description, is_pinned, registered_at, version)
         overriding system value values ($1, $2, $3, $4, $5, $6, $7, $8, 1) on conflict do nothing`,
      [
        ...[data.collectionId, bytesOfHex(data.account), bytesOfHex(data.cid), data.name, foldName(data.name)],
        ...[data.description, data.isPinned, data.registeredAt],
      ],
    );
    return rowCount === 1 ? 1 : undefined;
  }
  if (isMessage(message, CollectionCreated)) return create(client, message.data);
  // The previous version has no position in the block.
  if (isMessage(message, CollectionCreatedV1))
    return create(client, { ...message.data, blockHash: null, logIndex: null });
  if (isMessage(message, CollectionReverted))
    return versionOf(
      client,
      `update collections set created_block = null, created_time = null, created_transaction = null,
         created_block_hash = null, created_log_index = null, is_created = false, version = version + 1
       where id = $1 and is_created returning version`,
      [message.data.collectionId],
    );
  return undefined;
}

type Created = CollectionCreatedV1 & {
  readonly blockHash: CollectionCreated['blockHash'] | null;
  readonly logIndex: number | null;
};

const create = (client: Client, data: Created): Promise<number | undefined> =>
  versionOf(
    client,
    `update collections set created_block = $2, created_time = $3, created_transaction = $4, created_block_hash = $5,
       created_log_index = $6, is_created = true, version = version + 1 where id = $1 and not is_created returning version`,
    [
      ...[data.collectionId, data.blockNumber, data.blockTime, bytesOfHex(data.transactionHash)],
      ...[data.blockHash === null ? null : bytesOfHex(data.blockHash), data.logIndex],
    ],
  );

async function versionOf(client: Client, sql: string, values: readonly unknown[]): Promise<number | undefined> {
  const { rows } = await client.query<{ version: number }>(sql, [...values]);
  return rows[0]?.version;
}

/** Gives new collections ids above all earlier ones. */
export async function leaveCollectionIds(client: Client): Promise<void> {
  await client.query(
    `select setval(pg_get_serial_sequence('collections', 'id'),
       greatest((select coalesce(max(id), 0) from collections), (select last_value from collections_id_seq)) + $1)`,
    [idsLeftOut],
  );
}
