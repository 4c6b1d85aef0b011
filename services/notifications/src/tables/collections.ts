import { type Hex, hexOfBytes } from '@indelible/identifiers';
import { arrayOf, type Client } from '@indelible/postgres';
import type { Collection } from '../decisions/facts.ts';
import { collectionKey } from '../decisions/project.ts';

type Key = { readonly account: Hex; readonly setCid: Hex };

export async function saveCollections(client: Client, collections: readonly Collection[]): Promise<void> {
  if (collections.length === 0) return;
  await client.query({
    name: 'save-collections',
    text: `insert into collections (account, set_cid, name, description, is_pinned, is_public)
           select * from unnest($1::bytea[], $2::bytea[], $3::text[], $4::text[], $5::boolean[], $6::boolean[])
           on conflict (account, set_cid) do update set name = excluded.name, description = excluded.description,
             is_pinned = excluded.is_pinned, is_public = excluded.is_public`,
    values: [
      arrayOf.bytea(collections.map(({ account }) => account)),
      arrayOf.bytea(collections.map(({ setCid }) => setCid)),
      arrayOf.text(collections.map(({ name }) => name)),
      arrayOf.text(collections.map(({ description }) => description)),
      arrayOf.boolean(collections.map(({ isPinned }) => isPinned)),
      arrayOf.boolean(collections.map(({ isPublic }) => isPublic)),
    ],
  });
}

type Row = {
  readonly account: Buffer;
  readonly set_cid: Buffer;
  readonly name: string;
  readonly description: string | null;
  readonly is_pinned: boolean;
  readonly is_public: boolean;
};

export async function readCollections(client: Client, keys: readonly Key[]): Promise<Map<string, Collection>> {
  if (keys.length === 0) return new Map();
  const { rows } = await client.query<Row>({
    name: 'read-collections',
    text: `select c.* from unnest($1::bytea[], $2::bytea[]) as k (account, set_cid) cross join lateral (
             select * from collections where account = k.account and set_cid = k.set_cid limit 1) as c`,
    values: [arrayOf.bytea(keys.map(({ account }) => account)), arrayOf.bytea(keys.map(({ setCid }) => setCid))],
  });
  const collections = rows.map((row) => ({
    account: hexOfBytes(row.account),
    setCid: hexOfBytes(row.set_cid),
    name: row.name,
    description: row.description,
    isPinned: row.is_pinned,
    isPublic: row.is_public,
  }));
  return new Map(collections.map((collection) => [collectionKey(collection.account, collection.setCid), collection]));
}
