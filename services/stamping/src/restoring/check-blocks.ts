import { getBlockByNumber, getTransactionReceipt, type Rpc } from '@indelible/ethereum';
import { hexOfBytes } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import { revertBlocks } from '../confirming/revert-blocks.ts';

/**
 * Takes back what was confirmed by blocks that are no longer on the chain: a reorg may have come between the loss and now, and the facts
 * of it are read from the backup's block on, which says nothing of blocks that it never saw (I4).
 * @param after the newest block that the backup has read
 * @returns the last block before the first that is no longer there; undefined when all are on the chain
 */
export async function revertLostBlocks(
  database: Database,
  rpc: Rpc,
  { chainId, after, head }: { readonly chainId: number; readonly after: number; readonly head: number },
): Promise<number | undefined> {
  const { rows: blocks } = await database.query<{ number: number; hash: Buffer }>(
    `select distinct block_number as number, block_hash as hash from batches
     where status in ('included', 'finalized') and chain_id = $2 and block_number > $1 order by block_number`,
    [after, chainId],
  );
  const { rows: collections } = await database.query<{ number: number; hash: Buffer }>(
    `select created_block as number, created_transaction as hash from collections where created_block > $1
     order by created_block`,
    [after],
  );
  const lost: number[] = [];
  for (const { number, hash } of blocks)
    if ((await getBlockByNumber(rpc, number))?.hash !== hexOfBytes(hash)) lost.push(number);
  for (const { number, hash } of collections)
    if ((await getTransactionReceipt(rpc, hexOfBytes(hash)))?.blockNumber !== number) lost.push(number);
  if (lost.length === 0) return undefined;
  const ancestor = Math.min(...lost) - 1;
  for (let done = false; !done; )
    ({ done } = await database.transaction((client) =>
      revertBlocks(client, { chainId, ancestor, finalized: Math.max(head, ...lost) }),
    ));
  return ancestor;
}
