import { bytesOfHex, type Hex, hexOfBytes } from '@indelible/identifiers';
import type { BlockAppended } from '@indelible/messages';
import { arrayOf, type Client } from '@indelible/postgres';

export type IncludedBatch = {
  readonly traceparent: string;
  /** In ms since 1970. */
  readonly signedAt: number;
  readonly transactionHash: Hex;
};

/** Notes which batches are in the block; answers how many of the logs' transactions are ours, their object logs, and which are traced. */
export async function includeBatches(
  client: Client,
  block: BlockAppended,
): Promise<{ readonly batches: number; readonly objectLogs: number; readonly traced: readonly IncludedBatch[] }> {
  if (block.logs.length === 0) return { batches: 0, objectLogs: 0, traced: [] };
  const { rows } = await client.query<{ hash: Buffer; traceparent: string | null; signed_at: Date }>({
    name: 'include-batches',
    text: `with ours as (select hash, batch_id from transactions where hash = any($1::bytea[])),
           included as (
             update batches set status = 'included', block_number = $2, block_hash = $3
             where id = any(array(select batch_id from ours)) and status in ('signed', 'included'))
           -- As before the update: a block may come in several parts.
           select hash, traced.traceparent, traced.signed_at from ours left join lateral (
             select traceparent, signed_at from batches
             where id = ours.batch_id and status = 'signed' and traceparent is not null limit 1) as traced on true`,
    values: [
      arrayOf.bytea([...new Set(block.logs.map((log) => log.transactionHash))]),
      block.number,
      bytesOfHex(block.hash),
    ],
  });
  const ours = new Set(rows.map((row) => hexOfBytes(row.hash)));
  const objectLogs = block.logs.filter((log) => log.kind === 'object' && ours.has(log.transactionHash)).length;
  const traced = rows.flatMap(({ hash, traceparent, signed_at: signedAt }) =>
    traceparent === null ? [] : [{ traceparent, signedAt: signedAt.getTime(), transactionHash: hexOfBytes(hash) }],
  );
  return { batches: rows.length, objectLogs, traced };
}

/** How many of the block's logs are of stamps, those of earlier included: after a restore a block may be read that confirmed them before. */
export async function countIncluded(client: Client, block: BlockAppended): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*) as count from transactions t
     cross join lateral (select stamp_ids from batches where id = t.batch_id limit 1) as b
     join stamps s on s.id = any(b.stamp_ids) and s.block_hash = $2 and s.log_index = any($3::int[])
     where t.hash = any($1::bytea[])`,
    [
      arrayOf.bytea([...new Set(block.logs.map((log) => log.transactionHash))]),
      bytesOfHex(block.hash),
      arrayOf.int(block.logs.map((log) => log.logIndex)),
    ],
  );
  return rows[0]?.count ?? 0;
}
