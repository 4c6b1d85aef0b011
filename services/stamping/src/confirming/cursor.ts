import { bytesOfHex, type Hex, hexOfBytes } from '@indelible/identifiers';
import type { BlockAppended } from '@indelible/messages';
import type { Client, Database } from '@indelible/postgres';

/** How far the chain was read: a block, and how many of its parts. */
export type Cursor = { readonly number: number; readonly hash: Hex; readonly part: number; readonly parts: number };

/** Whether a block, or a part of one, is what must come next: nothing of the chain is skipped or read out of order. */
export function follows(cursor: Cursor | undefined, block: BlockAppended): boolean {
  if (cursor === undefined) return block.part === 1;
  if (block.part > 1)
    return block.number === cursor.number && block.hash === cursor.hash && block.part === cursor.part + 1;
  return cursor.part === cursor.parts && block.number === cursor.number + 1 && block.parentHash === cursor.hash;
}

/** The cursor, locked: the facts of a chain are handled by one transaction at a time. */
export async function lockCursor(client: Client, chainId: number): Promise<Cursor | undefined> {
  const { rows } = await client.query<{ number: number; hash: Buffer; part: number; parts: number }>({
    name: 'lock-cursor',
    text: 'select number, hash, part, parts from chain_cursor where chain_id = $1 for update',
    values: [chainId],
  });
  const row = rows[0];
  return row === undefined ? undefined : { ...row, hash: hexOfBytes(row.hash) };
}

export async function saveCursor(client: Client, chainId: number, cursor: Cursor): Promise<void> {
  await client.query({
    name: 'save-cursor',
    text: `insert into chain_cursor (chain_id, number, hash, part, parts) values ($1, $2, $3, $4, $5)
           on conflict (chain_id) do update set number = excluded.number, hash = excluded.hash, part = excluded.part,
             parts = excluded.parts`,
    values: [chainId, cursor.number, bytesOfHex(cursor.hash), cursor.part, cursor.parts],
  });
}

/** Notes the newest block that the node calls safe; a reorg takes it back. */
export async function saveSafe(
  client: Client,
  { chainId, number }: { readonly chainId: number; readonly number: number },
): Promise<void> {
  await client.query({
    name: 'save-safe',
    text: 'update chain_cursor set safe = $2 where chain_id = $1 and safe < $2',
    values: [chainId, number],
  });
}

/** The newest final block that was read of; 0 when none was. */
export async function readFinalBlock(database: Pick<Database, 'query'> | Client, chainId: number): Promise<number> {
  const { rows } = await database.query<{ finalized: number }>({
    name: 'read-final-block',
    text: 'select finalized from chain_cursor where chain_id = $1',
    values: [chainId],
  });
  return rows[0]?.finalized ?? 0;
}
