import { bytesOfHex, hexOfBytes } from '@indelible/identifiers';
import { arrayOf, type Client } from '@indelible/postgres';
import type { Block, Header, Place } from '../decisions/headers.ts';
import type { Cursor, StoredCursor, Unpublished } from './ports.ts';

export async function readCursor(client: Client, chainId: number): Promise<Cursor | undefined> {
  const { rows } = await client.query<Omit<StoredCursor, 'hash'> & { hash: Buffer }>({
    name: 'read-cursor',
    text: `select start_number as start, number, hash, finalized_number as finalized, safe_number as safe, version, reorgs
           from cursor where chain_id = $1`,
    values: [chainId],
  });
  const [row] = rows;
  return row === undefined ? undefined : withActivity(client, chainId, { ...row, hash: hexOfBytes(row.hash) });
}

export async function insertCursor(client: Client, chainId: number, anchor: Place): Promise<void> {
  await client.query({
    name: 'insert-cursor',
    text: `insert into cursor (chain_id, start_number, number, hash, finalized_number, safe_number, version, reorgs)
           values ($1, $2::bigint + 1, $2, $3, $2, $2, 0, 0)`,
    values: [chainId, anchor.number, bytesOfHex(anchor.hash)],
  });
}

/** Compare-and-set: false when the stored cursor is not `from`. */
export async function moveCursor(client: Client, chainId: number, from: Cursor, to: StoredCursor): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'move-cursor',
    text: `update cursor set number = $5, hash = $6, finalized_number = $7, version = $8, reorgs = $9,
             safe_number = $10
           where chain_id = $1 and hash = $2 and version = $3 and reorgs = $4`,
    values: [
      chainId,
      bytesOfHex(from.hash),
      from.version,
      from.reorgs,
      to.number,
      bytesOfHex(to.hash),
      to.finalized,
      to.version,
      to.reorgs,
      to.safe,
    ],
  });
  return rowCount === 1;
}

export async function insertHeaders(
  client: Client,
  chainId: number,
  blocks: readonly (Header & { readonly logs: Block['logs'] })[],
): Promise<void> {
  if (blocks.length === 0) return;
  await client.query({
    name: 'insert-headers',
    text: `insert into blocks (chain_id, number, hash, parent_hash, time, logs)
           select $1, * from unnest($2::bigint[], $3::bytea[], $4::bytea[], $5::bigint[], $6::int[])`,
    values: [
      chainId,
      arrayOf.bigint(blocks.map((block) => block.number)),
      arrayOf.bytea(blocks.map((block) => block.hash)),
      arrayOf.bytea(blocks.map((block) => block.parentHash)),
      arrayOf.bigint(blocks.map((block) => block.time)),
      arrayOf.int(blocks.map((block) => block.logs.length)),
    ],
  });
}

/** Drops the headers from a number on. */
export async function dropHeaders(client: Client, chainId: number, from: number): Promise<void> {
  await client.query({
    name: 'drop-headers',
    text: 'delete from blocks where chain_id = $1 and number >= $2',
    values: [chainId, from],
  });
}

/** Adds the lowest blocks with logs that are not final, and not safe. */
export async function withActivity(client: Client, chainId: number, cursor: StoredCursor): Promise<Cursor> {
  const { rows } = await client.query<{ active: number | null; unsafe: number | null }>({
    name: 'first-active',
    text: `select (select min(number) from blocks where chain_id = $1 and logs > 0 and number > $2) as active,
             (select min(number) from blocks where chain_id = $1 and logs > 0 and number > $3) as unsafe`,
    values: [chainId, cursor.finalized, cursor.safe],
  });
  return { ...cursor, firstActive: rows[0]?.active ?? undefined, firstUnsafe: rows[0]?.unsafe ?? undefined };
}

/** Deletes the oldest headers from `start` up to below `number`, a bounded number: the next call continues. */
export async function pruneHeaders(client: Client, chainId: number, start: number, number: number): Promise<void> {
  await client.query({
    name: 'prune-headers',
    text: `delete from blocks where chain_id = $1 and number in (
             select number from blocks where chain_id = $1 and number >= $2 and number < $3 order by number limit 10000)`,
    values: [chainId, start, number],
  });
}

/** What waits for the relay; counts at most `most` messages. Bytes as stored. */
export async function countUnpublished(client: Client, most: number): Promise<Unpublished> {
  const { rows } = await client.query<Unpublished>({
    name: 'count-unpublished',
    text: `select count(*) as messages, coalesce(sum(size), 0)::bigint as bytes
           from (select pg_column_size(data) as size from events limit $1) as waiting`,
    values: [most],
  });
  return rows[0] ?? { messages: 0, bytes: 0 };
}

/** A header as a block to store: the anchor's logs are not used. */
export const anchorAt = (anchor: Header | undefined): readonly Block[] =>
  anchor === undefined ? [] : [{ ...anchor, logs: [] }];
