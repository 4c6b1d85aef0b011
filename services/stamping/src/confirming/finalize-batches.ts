import { appendEvents } from '@indelible/event-store';
import { hexOfBytes } from '@indelible/identifiers';
import type { Client } from '@indelible/postgres';
import { batchStream } from '../batch-stream.ts';
import type { Since } from '../decisions/plan-block.ts';
import { eventsOfFinalized, type FinalBatch } from '../decisions/report-finalized.ts';
import { schema } from '../schema.ts';
import type { OpenOutcome } from './chain-outcome.ts';

/** The most batches made final in one transaction, however few stamps they have. */
const mostBatches = 200;

/**
 * Makes batches in final blocks final, earliest first, about `stamps` stamps at once, and records that their stamps
 * are: once, unless the chain reorganizes below its finality.
 * @returns whether no such batch is left
 */
export async function finalizeBatches(
  client: Client,
  chainId: number,
  finalBlock: number,
  stamps: number,
  outcome: Pick<OpenOutcome, 'finalized'>,
): Promise<boolean> {
  const batches = await markFinal(client, chainId, finalBlock, stamps);
  outcome.finalized.push(...batches.map(({ since }) => since));
  await appendEvents(
    client,
    schema,
    eventsOfFinalized(
      batches.map(({ batch }) => batch),
      chainId,
    ),
  );
  return batches.length < mostBatches && batches.reduce((sum, { since }) => sum + since.stamps, 0) < stamps;
}

/** One statement finds and marks them. */
async function markFinal(
  client: Client,
  chainId: number,
  finalBlock: number,
  stamps: number,
): Promise<readonly { readonly batch: FinalBatch; readonly since: Since }[]> {
  const { rows } = await client.query<{
    id: string;
    block_number: number;
    block_hash: Buffer;
    stamp_ids: string[] | null;
    stamps: number;
    version: number;
    seconds: number;
  }>({
    name: 'finalize-batches',
    text: `with oldest as (
             select id, cardinality(stamp_ids) as stamps, block_number from batches
             where status = 'included' and chain_id = $2 and block_number <= $1
             order by block_number, id limit ${mostBatches}
           ), counted as (
             select id, sum(stamps) over (order by block_number, id) - stamps as before from oldest
           ), done as (
             update batches set status = 'finalized' where id = any(array(select id from counted where before < $3))
             returning id, block_number, block_hash, stamp_ids, signed_at)
           select d.id, d.block_number, d.block_hash, cardinality(d.stamp_ids) as stamps,
             greatest(extract(epoch from statement_timestamp() - d.signed_at), 0)::float8 as seconds,
             (select coalesce(max(e.version), 0) + 1 from events e where e.stream = '${batchStream('')}' || d.id) as version,
             (select array_agg(s.id order by s.batch_index) from stamps s
              where s.id = any(d.stamp_ids) and s.batch_id = d.id and s.status = 'confirmed') as stamp_ids
           from done d order by d.block_number`,
    values: [finalBlock, chainId, stamps],
  });
  return rows.map((row) => ({
    batch: {
      batchId: row.id,
      version: row.version,
      blockNumber: row.block_number,
      blockHash: hexOfBytes(row.block_hash),
      stampIds: row.stamp_ids ?? [],
    },
    since: { seconds: row.seconds, stamps: row.stamps },
  }));
}
