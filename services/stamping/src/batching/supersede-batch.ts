import type { Database } from '@indelible/postgres';
import { announceWork } from '../work-channel.ts';
import { freeCollections, putBackToWaiting } from './batch-queries.ts';
import { freeGrant } from './settle-grant.ts';

/**
 * Gives up a batch whose nonce another transaction used, an empty one of our own for one: its items wait for another
 * batch. The caller has seen that the nonce was used at or below a final block and that no transaction with the batch's
 * items has a receipt; here it is asked once more that the facts of that block were read and no commitment of the batch
 * was among them, so that nothing can be on the chain twice (I2). A batch that was emptied since no node takes it comes
 * again in smaller parts.
 * @returns how many stamps wait again; undefined when the batch is not to be given up
 */
export function supersedeBatch(
  database: Pick<Database, 'transaction'>,
  batchId: string,
  place: { readonly chainId: number; readonly finalBlock: number },
): Promise<number | undefined> {
  return database.transaction(async (client) => {
    const { rowCount } = await client.query(
      `update batches set status = 'superseded' where id = $1 and status = 'signed'
         and exists (select from chain_cursor where chain_id = $2 and finalized >= $3 and number >= $3)`,
      [batchId, place.chainId, place.finalBlock],
    );
    if (rowCount === 0) return undefined;
    const { rows } = await client.query<{ emptied: boolean }>(
      'select exists (select from transactions where batch_id = $1 and is_empty) as emptied',
      [batchId],
    );
    const emptied = rows[0]?.emptied === true;
    const stamps = await putBackToWaiting(client, batchId, emptied);
    await freeCollections(client, batchId, emptied);
    await freeGrant(client, batchId);
    await announceWork(client);
    return stamps;
  });
}
