import { bytesOfHex, hexOfBytes } from '@indelible/identifiers';
import type { ChainPosition } from '@indelible/messages';
import type { Client } from '@indelible/postgres';

/** How far the facts of a chain were read. */
export type Cursor = {
  /** Undefined before the first block. */
  readonly position: ChainPosition | undefined;
  /** The newest blocks at or below the position that the node calls safe and final; 0 when none is. */
  readonly safe: number;
  readonly finalized: number;
};

/** A cursor as it is stored, and whether the facts up to it set off more than was done yet. */
export type StoredCursor = Cursor & { readonly unfinished: boolean };

/** The cursor, locked: the facts of a chain are handled by one transaction at a time. */
export async function lockCursor(client: Client, chainId: number): Promise<StoredCursor> {
  const { rows } = await client.query<{
    number: number;
    hash: Buffer;
    part: number;
    parts: number;
    safe: number;
    finalized: number;
    unfinished: boolean;
  }>({
    name: 'lock-cursor',
    text: 'select number, hash, part, parts, safe, finalized, unfinished from chain_cursor where chain_id = $1 for update',
    values: [chainId],
  });
  const [row] = rows;
  if (row === undefined) return { position: undefined, safe: 0, finalized: 0, unfinished: false };
  const { number, part, parts, safe, finalized, unfinished } = row;
  return {
    position: { number, hash: hexOfBytes(row.hash), part, complete: part === parts },
    safe,
    finalized,
    unfinished,
  };
}

export async function saveCursor(client: Client, chainId: number, cursor: StoredCursor): Promise<void> {
  const { position, safe, finalized, unfinished } = cursor;
  if (position === undefined) return;
  const { number, hash, part, complete } = position;
  await client.query({
    name: 'save-cursor',
    text: `insert into chain_cursor (chain_id, number, hash, part, parts, safe, finalized, unfinished)
           values ($1, $2, $3, $4, $5, $6, $7, $8)
           on conflict (chain_id) do update set number = excluded.number, hash = excluded.hash, part = excluded.part,
             parts = excluded.parts, safe = excluded.safe, finalized = excluded.finalized,
             unfinished = excluded.unfinished`,
    // Of a block whose last part is yet to come, that there is another one is all that counts.
    values: [chainId, number, bytesOfHex(hash), part, complete ? part : part + 1, safe, finalized, unfinished],
  });
}
