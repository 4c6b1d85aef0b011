import { bytesOfHex, hexOfBytes } from '@indelible/identifiers';
import type { ChainPosition } from '@indelible/messages';
import type { Client } from '@indelible/postgres';

/** How far a chain's facts were read. */
export type Cursor = {
  /** Undefined before the first block. */
  readonly position: ChainPosition | undefined;
  /** The newest blocks, up to the position, that the node reports as safe and final; 0 without one. */
  readonly safe: number;
  readonly finalized: number;
};

/** A stored cursor, and whether the facts up to it left work to do. */
export type StoredCursor = Cursor & { readonly unfinished: boolean };

/** Locks the cursor: one transaction at a time handles the facts of a chain. */
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
    // Of a block whose last part is missing, only the fact that another part follows matters.
    values: [chainId, number, bytesOfHex(hash), part, complete ? part : part + 1, safe, finalized, unfinished],
  });
}
