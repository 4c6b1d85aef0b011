import type { AddressedReply } from '@indelible/messages';
import type { Database } from '@indelible/postgres';
import { announceWork } from '../work-channel.ts';
import { putBackToWaiting } from './batch-queries.ts';
import { freeOrFailStamps, freeOrGiveUpCollections } from './free-items.ts';
import { freeGrant } from './settle-grant.ts';

/**
 * Gives up a batch whose nonce another transaction used, such as our own empty one: its items wait for another batch.
 * The caller has seen that the nonce was used at or below a final block and that no transaction with the batch's items
 * has a receipt; this checks again that the facts of that block were read and contain no commitment of the batch, so
 * that nothing can be on the chain twice (I2). A batch that was emptied since no node takes it is retried in smaller
 * parts and counts as reverted: what was refused too often is given up.
 * @returns how many stamps wait again, and replies to refused requests; undefined when the batch must not be given up
 */
export function supersedeBatch(
  database: Pick<Database, 'transaction'>,
  batchId: string,
  place: { readonly chainId: number; readonly finalBlock: number },
): Promise<{ readonly stamps: number; readonly replies: readonly AddressedReply[] } | undefined> {
  return database.transaction(async (client) => {
    const { rowCount } = await client.query(
      `update batches set status = 'superseded' where id = $1 and status = 'signed'
         and exists (select from chain_cursor where chain_id = $2 and finalized >= $3 and number >= $3)`,
      [batchId, place.chainId, place.finalBlock],
    );
    if (rowCount === 0) return undefined;
    const { rows } = await client.query<{ emptied: boolean; stamps: number; reverts: number }>(
      `select exists (select from transactions where batch_id = $1 and is_empty) as emptied, s.stamps, s.reverts
       from (select count(*) as stamps, coalesce(max(reverted_batches), 0) as reverts from stamps
             where id = any((select stamp_ids from batches where id = $1)::uuid[]) and status = 'requested') as s`,
      [batchId],
    );
    const [{ emptied, ...batch }] = rows as [(typeof rows)[0]];
    const refused = await freeOrGiveUpCollections(client, batchId, emptied);
    const { waiting, replies } = emptied
      ? await freeOrFailStamps(client, batchId, { ...batch, forGood: false })
      : { waiting: await putBackToWaiting(client, batchId, false), replies: [] };
    await freeGrant(client, batchId);
    await announceWork(client);
    return { stamps: waiting, replies: [...refused, ...replies] };
  });
}
