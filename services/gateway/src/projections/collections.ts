import { foldName, type Hex } from '@indelible/identifiers';
import { type IncomingMessage, isMessage } from '@indelible/kafka';
import { CollectionCreated, CollectionCreatedV1, CollectionRegistered, CollectionReverted } from '@indelible/messages';
import { arrayOf, type Client, type Database } from '@indelible/postgres';

/** The messages of the collections view; those of an account come in order. */
export const collectionMessages = [CollectionRegistered, CollectionCreatedV1, CollectionCreated, CollectionReverted];

export type CollectionView = {
  readonly id: number;
  readonly account: Hex;
  readonly cid: Hex;
  readonly name: string;
  readonly description: string | null;
  readonly isPinned: boolean;
  readonly isPublic: boolean;
  readonly registeredAt: Date;
  /** Its AddSet by the owner is on the canonical chain. */
  readonly created: boolean;
};

/** Applies events.collections messages, in the transaction of their inbox rows (I5). */
export async function projectCollections(client: Client, messages: readonly IncomingMessage[]): Promise<void> {
  const registered: CollectionRegistered[] = [];
  const created = new Map<number, boolean>();
  for (const message of messages) {
    if (isMessage(message, CollectionRegistered)) registered.push(message.data);
    else if (isMessage(message, CollectionCreated) || isMessage(message, CollectionCreatedV1))
      created.set(message.data.collectionId, true);
    else if (isMessage(message, CollectionReverted)) created.set(message.data.collectionId, false);
  }
  if (registered.length > 0)
    await client.query({
      name: 'insert-collections',
      text: `insert into collections (id, account, cid, name, folded_name, description, is_pinned, is_public, registered_at)
             select * from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
               $7::boolean[], $8::boolean[], $9::timestamptz[])
             on conflict (id) do nothing`,
      values: [
        arrayOf.bigint(registered.map((one) => one.collectionId)),
        arrayOf.text(registered.map((one) => one.account)),
        arrayOf.text(registered.map((one) => one.cid)),
        arrayOf.text(registered.map((one) => one.name)),
        arrayOf.text(registered.map((one) => foldName(one.name))),
        arrayOf.text(registered.map((one) => one.description)),
        arrayOf.boolean(registered.map((one) => one.isPinned)),
        arrayOf.boolean(registered.map((one) => one.isPublic)),
        arrayOf.timestamptz(registered.map((one) => one.registeredAt)),
      ],
    });
  for (const isCreated of [true, false]) {
    const ids = [...created].flatMap(([id, each]) => (each === isCreated ? [id] : []));
    if (ids.length > 0)
      await client.query({
        name: 'mark-collections-created',
        text: 'update collections set created = $2 where id = any($1::bigint[])',
        values: [arrayOf.bigint(ids), isCreated],
      });
  }
}

const viewColumns = `c.id, c.account, c.cid, c.name, c.description, c.is_pinned as "isPinned",
  c.is_public as "isPublic", c.registered_at as "registeredAt", c.created`;

/** A collection of an account, by folded name or by CID. */
export type CollectionKey = { readonly account: Hex; readonly folded?: string; readonly cid?: Hex };

/** The collections of `keys`, in their order, by one query. */
export async function findCollections(
  database: Pick<Database, 'query'>,
  keys: readonly CollectionKey[],
): Promise<readonly (CollectionView | undefined)[]> {
  const { rows } = await database.query<CollectionView & { place: number }>({
    name: 'find-collections',
    text: `select k.place, ${viewColumns}
           from unnest($1::text[], $2::text[], $3::text[]) with ordinality as k(account, folded, cid, place)
           join lateral (
             select * from collections where account = k.account and folded_name = k.folded
             union all
             select * from collections where account = k.account and cid = k.cid and k.folded is null
           ) c on true`,
    values: [
      arrayOf.text(keys.map((key) => key.account)),
      arrayOf.text(keys.map((key) => key.folded ?? null)),
      arrayOf.text(keys.map((key) => key.cid ?? null)),
    ],
  });
  const found = new Map(rows.map(({ place, ...view }) => [Number(place), view]));
  return keys.map((_key, i) => found.get(i + 1));
}

/** The CID of the account's newest collection, created or not. */
export async function findNewestCollection(database: Pick<Database, 'query'>, account: Hex): Promise<Hex | undefined> {
  const { rows } = await database.query<{ cid: Hex }>({
    name: 'find-newest-collection',
    text: `select cid from collections where account = $1 order by registered_at desc, id desc limit 1`,
    values: [account],
  });
  return rows[0]?.cid;
}

export type CollectionFilter = {
  readonly account: Hex;
  readonly onlyPublic: boolean;
  readonly isPinned: boolean | undefined;
};

/** A place in the list of an account's collections. */
export type CollectionPlace = Pick<CollectionView, 'id' | 'registeredAt'>;

/** Pages of the lists of collections, newest first, found by an index in their order. */
export type CollectionLists = ReturnType<typeof collectionLists>;

export function collectionLists(database: Pick<Database, 'query'>) {
  /** Reads up to `limit` of an account's collections after a position, skipping `skipped`. */
  async function pageAfter<Row extends CollectionPlace>(
    name: string,
    columns: string,
    filter: CollectionFilter,
    after: CollectionPlace | undefined,
    page: { readonly skipped: number; readonly limit: number },
  ): Promise<readonly Row[]> {
    const { rows } = await database.query<Row>({
      name,
      text: `select ${columns} from collections c
             where c.account = $1 and (c.is_public or not $2) and c.is_pinned = coalesce($3, c.is_pinned)
               and (c.registered_at, c.id) < ($4::timestamptz, $5::bigint)
             order by c.registered_at desc, c.id desc offset $6 limit $7`,
      values: [
        filter.account,
        filter.onlyPublic,
        filter.isPinned ?? null,
        after?.registeredAt.toISOString() ?? 'infinity',
        after?.id ?? 0,
        page.skipped,
        page.limit,
      ],
    });
    return rows;
  }

  return {
    listCollections: (filter: CollectionFilter, after: CollectionPlace | undefined, limit: number) =>
      pageAfter<CollectionView>('list-collections', viewColumns, filter, after, { skipped: 0, limit }),
    /** The last position of a page of `size` collections, if more follow it. */
    async findEndOfPage(
      filter: CollectionFilter,
      after: CollectionPlace | undefined,
      size: number,
    ): Promise<CollectionPlace | undefined> {
      const columns = 'c.id, c.registered_at as "registeredAt"';
      const page = { skipped: size - 1, limit: 2 };
      const places = await pageAfter<CollectionPlace>('find-end-of-page', columns, filter, after, page);
      return places.length === 2 ? places[0] : undefined;
    },
  };
}
