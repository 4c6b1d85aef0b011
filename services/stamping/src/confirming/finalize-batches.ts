import { appendEvents, newEvent } from '@indelible/event-store';
import { hexOfBytes } from '@indelible/identifiers';
import { type BlocksFinalized, StampsFinalized } from '@indelible/messages';
import type { Client } from '@indelible/postgres';
import { batchStream } from '../batching/sign-batch.ts';
import { schema } from '../schema.ts';

/**
 * Batches whose blocks are final are not looked at again, unless the chain turns below its finality; their stamps' readers
 * are told, once each time.
 */
export async function finalizeBatches(client: Client, { chainId, number }: BlocksFinalized): Promise<void> {
  const { rows } = await client.query<{
    id: string;
    block_number: number;
    block_hash: Buffer;
    stamp_ids: string[] | null;
    version: number;
  }>({
    name: 'finalize-batches',
    text: `with done as (
             update batches set status = 'finalized' where status = 'included' and chain_id = $2 and block_number <= $1
             returning id, block_number, block_hash, stamp_ids)
           select d.id, d.block_number, d.block_hash,
             (select coalesce(max(e.version), 0) + 1 from events e where e.stream = '${batchStream('')}' || d.id) as version,
             (select array_agg(s.id order by s.batch_index) from stamps s
              where s.id = any(d.stamp_ids) and s.batch_id = d.id and s.status = 'confirmed') as stamp_ids
           from done d order by d.block_number`,
    values: [number, chainId],
  });
  await client.query('update chain_cursor set finalized = $2 where chain_id = $1 and finalized < $2', [
    chainId,
    number,
  ]);
  await appendEvents(
    client,
    schema,
    rows
      .filter((row) => row.stamp_ids !== null)
      .map((row) =>
        newEvent(
          StampsFinalized,
          {
            batchId: row.id,
            chainId,
            blockNumber: row.block_number,
            blockHash: hexOfBytes(row.block_hash),
            stampIds: row.stamp_ids as string[],
          },
          { stream: batchStream(row.id), version: row.version },
        ),
      ),
  );
}
