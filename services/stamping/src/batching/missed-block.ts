import { bytesOfHex } from '@indelible/identifiers';
import { unknownHash } from '@indelible/messages';
import type { Database } from '@indelible/postgres';

/**
 * Has a block read again whose facts came without what a batch did in it, as of a node that left logs out: the next fact does not follow then, so
 * that the blocks in between are published again. What they confirmed stays confirmed.
 * @param block of the batch's transaction, which succeeded
 * @returns false when nothing of the batch is missing, or the block was not read yet
 */
export async function readMissedBlock(
  database: Pick<Database, 'query'>,
  { chainId, batchId, block }: { readonly chainId: number; readonly batchId: string; readonly block: number },
): Promise<boolean> {
  const { rowCount } = await database.query(
    `update chain_cursor set number = $2::bigint - 1, hash = $3, part = 1, parts = 1
     where chain_id = $1 and number > $2 and exists (
       select from batches b where b.id = $4 and b.status = 'signed' and (b.kind = 'grant'
         or exists (select from stamps s where s.id = any(b.stamp_ids) and s.status = 'requested')))`,
    [chainId, block, bytesOfHex(unknownHash), batchId],
  );
  return rowCount === 1;
}
