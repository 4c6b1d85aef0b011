import { bytesOfHex, hexOfBytes } from '@indelible/identifiers';
import type { Client, Database } from '@indelible/postgres';
import type { ChainCursor } from '../decisions/follow-chain.ts';

/** Each commit of a cursor notifies this channel of `<chain id>:<block number>`. */
export const cursorChannel = (schema: string): string => `${schema}_cursors`;

type CursorRow = {
  chain_id: number;
  number: number;
  hash: Buffer;
  open_number: number | null;
  open_hash: Buffer | null;
  open_part: number | null;
  finalized: number | null;
};

/** Locks the cursors of chains for a change in this transaction: another projector of the same chain waits. */
export async function lockCursors(client: Client, chainIds: readonly number[]): Promise<Map<number, ChainCursor>> {
  const { rows } = await client.query<CursorRow>(
    'select * from cursors where chain_id = any($1::bigint[]) order by chain_id for update',
    [chainIds],
  );
  return new Map(rows.map((row) => [row.chain_id, cursorOf(row)]));
}

export async function saveCursors(client: Client, cursors: ReadonlyMap<number, ChainCursor>): Promise<void> {
  for (const [chainId, cursor] of cursors)
    await client.query(
      `insert into cursors (chain_id, number, hash, open_number, open_hash, open_part, finalized)
       values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (chain_id) do update set number = excluded.number, hash = excluded.hash,
         open_number = excluded.open_number, open_hash = excluded.open_hash, open_part = excluded.open_part,
         finalized = excluded.finalized`,
      [
        chainId,
        cursor.number,
        bytesOfHex(cursor.hash),
        cursor.open?.number ?? null,
        cursor.open === null ? null : bytesOfHex(cursor.open.hash),
        cursor.open?.part ?? null,
        cursor.finalized,
      ],
    );
}

/** Every chain's cursor, by chain id. */
export async function readCursors(database: Pick<Database, 'query'>): Promise<Map<number, ChainCursor>> {
  const { rows } = await database.query<CursorRow>('select * from cursors order by chain_id');
  return new Map(rows.map((row) => [row.chain_id, cursorOf(row)]));
}

/** Whether this snapshot holds the block or a later one. */
export async function hasReached(
  client: Client,
  block: { readonly chainId: number; readonly number: number },
): Promise<boolean> {
  const { rowCount } = await client.query('select from cursors where chain_id = $1 and number >= $2', [
    block.chainId,
    block.number,
  ]);
  return rowCount === 1;
}

const cursorOf = (row: CursorRow): ChainCursor => ({
  number: row.number,
  hash: hexOfBytes(row.hash),
  open:
    row.open_number === null || row.open_hash === null || row.open_part === null
      ? null
      : { number: row.open_number, hash: hexOfBytes(row.open_hash), part: row.open_part },
  finalized: row.finalized,
});
