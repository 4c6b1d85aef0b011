import { type NewEvent, newEvent } from '@indelible/event-store';
import { foldName, type Hex, hexOfBytes } from '@indelible/identifiers';
import { CollectionRegistered } from '@indelible/messages';
import { arrayOf, type Client } from '@indelible/postgres';
import { collectionStream } from '../collection-stream.ts';
import type { RegisteredCollection } from '../decisions/decide-collection.ts';
import type { KnownCollection, KnownCollections } from '../decisions/resolve-set.ts';

export type StoredCollection = KnownCollection & RegisteredCollection & { readonly id: number };

/** Loaded collections and those that this batch of requests adds, as one view for its decisions. */
export type CollectionsInHand = KnownCollections & { add(collection: KnownCollection): void };

const byNameKey = (account: Hex, folded: string): string => `${account}/${folded}`;
const byCidKey = (account: Hex, cid: Hex): string => `${account}${cid}`;

/** What a request's name or CID refers to. */
export type WantedCollection = { readonly account: Hex; readonly folded?: string; readonly cid?: Hex };

export type CollectionRow = {
  readonly id: number;
  readonly account: Buffer;
  readonly cid: Buffer;
  readonly name: string;
  readonly is_created: boolean;
  readonly description: string | null;
  readonly is_pinned: boolean;
};

/** Every collection that the accounts, names or CIDs may refer to. */
export const selectCollections = (accounts: string, names: string, cids: string): string =>
  `select distinct c.id, c.account, c.cid, c.name, c.is_created, c.description, c.is_pinned
   from unnest(${accounts}::bytea[], ${names}::text[], ${cids}::bytea[]) as w (account, folded, cid)
   cross join lateral (
     select * from collections where account = w.account and name_folded = w.folded
     union all
     select * from collections where account = w.account and cid = w.cid) as c`;

/** Values for {@link selectCollections}, without the many duplicates of a batch of requests. */
export function wantedValues(wanted: readonly WantedCollection[]): readonly [Buffer, Buffer, Buffer] {
  const distinct = [
    ...new Map(wanted.map((one) => [`${one.account}/${one.cid ?? ''}/${one.folded ?? ''}`, one])).values(),
  ];
  return [
    arrayOf.bytea(distinct.map((one) => one.account)),
    arrayOf.text(distinct.map((one) => one.folded ?? null)),
    arrayOf.bytea(distinct.map((one) => one.cid)),
  ];
}

export function collectionsInHand(
  rows: readonly CollectionRow[],
): CollectionsInHand & { stored(id: number): StoredCollection | undefined } {
  const names = new Map<string, KnownCollection>();
  const cids = new Map<string, KnownCollection>();
  const stored = new Map<number, StoredCollection>();
  const add = (collection: KnownCollection): void => {
    names.set(byNameKey(collection.account, foldName(collection.name)), collection);
    cids.set(byCidKey(collection.account, collection.cid), collection);
  };
  for (const row of rows) {
    const collection = {
      id: row.id,
      account: hexOfBytes(row.account),
      cid: hexOfBytes(row.cid),
      name: row.name,
      isCreated: row.is_created,
      description: row.description,
      isPinned: row.is_pinned,
    };
    stored.set(row.id, collection);
    add(collection);
  }
  return {
    add,
    byName: (account, folded) => names.get(byNameKey(account, folded)),
    byCid: (account, cid) => cids.get(byCidKey(account, cid)),
    stored: (id) => stored.get(id),
  };
}

/** Loads every collection that these accounts' names or CIDs may refer to, in one round trip. */
export async function loadCollections(
  client: Client,
  wanted: readonly WantedCollection[],
): Promise<ReturnType<typeof collectionsInHand>> {
  const { rows } = await client.query<CollectionRow>({
    name: 'load-collections',
    text: selectCollections('$1', '$2', '$3'),
    values: [...wantedValues(wanted)],
  });
  return collectionsInHand(rows);
}

export type NewCollection = {
  readonly account: Hex;
  readonly cid: Hex;
  readonly name: string;
  readonly description: string | null;
  readonly isPinned: boolean;
  readonly registeredAt: string;
};

/** Registers collections and returns their ids in the same order; a taken name or CID is a unique violation. */
export async function insertCollections(client: Client, collections: readonly NewCollection[]): Promise<number[]> {
  if (collections.length === 0) return [];
  const { rows } = await client.query<{ id: number }>({
    name: 'insert-collections',
    text: `insert into collections
             (account, cid, name, name_folded, description, is_pinned, registered_at, version)
           select account, cid, name, folded, description, pinned, registered_at, 1
           from unnest($1::bytea[], $2::bytea[], $3::text[], $4::text[], $5::text[], $6::boolean[], $7::timestamptz[])
             with ordinality as n (account, cid, name, folded, description, pinned, registered_at, place)
           order by place returning id`,
    values: [
      arrayOf.bytea(collections.map((collection) => collection.account)),
      arrayOf.bytea(collections.map((collection) => collection.cid)),
      arrayOf.text(collections.map((collection) => collection.name)),
      arrayOf.text(collections.map((collection) => foldName(collection.name))),
      arrayOf.text(collections.map((collection) => collection.description)),
      arrayOf.boolean(collections.map((collection) => collection.isPinned)),
      arrayOf.timestamptz(collections.map((collection) => collection.registeredAt)),
    ],
  });
  return rows.map((row) => row.id);
}

/** Records requests that wait for a collection's creation on chain. */
export async function insertCollectionRequests(
  client: Client,
  requests: readonly { readonly requestId: string; readonly collectionId: number; readonly replyTo: string | null }[],
): Promise<void> {
  if (requests.length === 0) return;
  await client.query({
    name: 'insert-collection-requests',
    text: 'insert into collection_requests (request_id, collection_id, reply_to) select * from unnest($1::uuid[], $2::bigint[], $3::text[])',
    values: [
      arrayOf.uuid(requests.map((request) => request.requestId)),
      arrayOf.bigint(requests.map((request) => request.collectionId)),
      arrayOf.text(requests.map((request) => request.replyTo)),
    ],
  });
}

/** New collections are public: their CIDs are on a public chain (docs/interface.md, Collections). */
export const registeredEvent = (collectionId: number, collection: NewCollection): NewEvent =>
  newEvent(
    CollectionRegistered,
    {
      collectionId,
      account: collection.account,
      cid: collection.cid,
      name: collection.name,
      description: collection.description,
      isPinned: collection.isPinned,
      isPublic: true,
      registeredAt: collection.registeredAt,
    },
    { stream: collectionStream(collectionId), version: 1 },
  );
