import { bytesOfHex, hexOfBytes } from '@indelible/identifiers';
import type { Client } from '@indelible/postgres';
import type { Block, Header, Place } from '../decisions/headers.ts';
import type { Cursor } from './ports.ts';

export async function readCursor(client: Client, chainId: number): Promise<Cursor | undefined> {
  const { rows } = await client.query<Omit<Cursor, 'hash' | 'firstActive'> & { hash: Buffer; active: number | null }>({
    name: 'read-cursor',
    text: `select start_number as start, number, hash, finalized_number as finalized, version, reorgs,
             (select min(b.number) from blocks b
              where b.chain_id = c.chain_id and b.logs > 0 and b.number > c.finalized_number) as active
           from cursor c where chain_id = $1`,
    values: [chainId],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  const { active, hash, ...rest } = row;
  return { ...rest, hash: hexOfBytes(hash), firstActive: active ?? undefined };
}

export async function insertCursor(client: Client, chainId: number, anchor: Place): Promise<void> {
  await client.query({
    name: 'insert-cursor',
    text: `insert into cursor (chain_id, start_number, number, hash, finalized_number, version, reorgs)
           values ($1, $2::bigint + 1, $2, $3, $2, 0, 0)`,
    values: [chainId, anchor.number, bytesOfHex(anchor.hash)],
  });
}

/** Compare-and-set: false when the stored cursor is not `from`. */
export async function moveCursor(
  client: Client,
  chainId: number,
  from: Cursor,
  to: Omit<Cursor, 'firstActive'>,
): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'move-cursor',
    text: `update cursor set number = $5, hash = $6, finalized_number = $7, version = $8, reorgs = $9
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
      blocks.map((block) => block.number),
      blocks.map((block) => bytesOfHex(block.hash)),
      blocks.map((block) => bytesOfHex(block.parentHash)),
      blocks.map((block) => block.time),
      blocks.map((block) => block.logs.length),
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

/** The lowest block with logs above a number. */
export async function firstActiveAbove(client: Client, chainId: number, number: number): Promise<number | undefined> {
  const { rows } = await client.query<{ active: number | null }>({
    name: 'first-active',
    text: 'select min(number) as active from blocks where chain_id = $1 and logs > 0 and number > $2',
    values: [chainId, number],
  });
  return rows[0]?.active ?? undefined;
}

/** A header alone as a block to be stored: the anchor's logs are nobody's. */
export const anchorAt = (anchor: Header | undefined): readonly Block[] =>
  anchor === undefined ? [] : [{ ...anchor, logs: [] }];
