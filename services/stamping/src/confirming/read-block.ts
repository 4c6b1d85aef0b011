import { bytesOfHex, hexOfBytes } from '@indelible/identifiers';
import type { BlockAppended } from '@indelible/messages';
import { arrayOf, type Client } from '@indelible/postgres';
import { withCollection } from '../collection-of-stamp.ts';
import type { BlockFacts, OwnTransaction, StampOfBlock } from '../decisions/plan-block.ts';
import { type ReportedRow, reportedColumns, reportedOf } from './confirmed-stamps.ts';

type Row = {
  hash: Buffer;
  /** Null for a batch without stamps. */
  place: number | null;
  /** Batch columns; null except in the batch's first row. */
  is_open: boolean | null;
  batch_traceparent: string | null;
  signed_at: number | null;
  seconds_since_signed: number | null;
  /** Null for a waiting stamp. */
  log_index: number | null;
} & (StampRow | { id: null; batch_id: string });

/** All null where the first stamp is in another block, or missing. */
type StampRow = ReportedRow & { account: Buffer; set_cid: Buffer; object_cid: Buffer };

/**
 * Reads the block's transactions that are ours, and their stamps that wait for a block or are in this one; the
 * transaction is in the first row of each batch. The plan, not a join, matches logs with stamps: Postgres does not know
 * the length of a batch's array, and may compare each log with each stamp. `limit 1` keeps it from reading all stamps
 * or all collections to join some.
 */
export async function readBlock(client: Client, { hash, logs }: BlockAppended): Promise<BlockFacts> {
  const ofFirst = (value: string): string => `case when coalesce(item.place, 1) = 1 then ${value} end`;
  const { rows } = await client.query<Row>({
    name: 'read-block',
    text: `
      select t.hash, b.id as batch_id, item.place::int as place, ${ofFirst('b.is_open')} as is_open,
        ${ofFirst("case when b.status = 'signed' then b.traceparent end")} as batch_traceparent,
        ${ofFirst('extract(epoch from b.signed_at)::float8 * 1000')} as signed_at,
        ${ofFirst('greatest(extract(epoch from statement_timestamp() - b.signed_at), 0)::float8')} as seconds_since_signed,
        s.log_index, s.account, s.set_cid, s.object_cid, ${reportedColumns}
      from transactions t
        cross join lateral (select *, status in ('signed', 'included') as is_open from batches where id = t.batch_id limit 1) as b
        left join lateral unnest(b.stamp_ids) with ordinality as item (stamp_id, place) on true
        left join lateral (
          select * from stamps where id = item.stamp_id and (
            (status = 'requested' and b.is_open) or (block_hash = $2 and log_index between $3 and $4)) limit 1) as s on true
        ${withCollection}
      where t.hash = any($1::bytea[]) and (s.id is not null or coalesce(item.place, 1) = 1)
      order by b.id, item.place`,
    values: [
      arrayOf.bytea([...new Set(logs.map(({ transactionHash }) => transactionHash))]),
      ...[bytesOfHex(hash), logs[0]?.logIndex, logs.at(-1)?.logIndex],
    ],
  });
  return {
    transactions: rows.flatMap(transactionsOf),
    stamps: rows.flatMap((row) => (row.id === null || row.log_index !== null ? [] : [stampOf(row)])),
    recordedLogs: rows.flatMap(({ log_index: logIndex }) => logIndex ?? []),
  };
}

function transactionsOf(row: Row): readonly OwnTransaction[] {
  const { is_open: isOpen, signed_at: signedAt, seconds_since_signed: secondsSinceSigned } = row;
  if (isOpen === null || signedAt === null || secondsSinceSigned === null) return [];
  const { batch_id: batchId, batch_traceparent: traceparent } = row;
  return [
    { hash: hexOfBytes(row.hash), batchId, isOpen, traceparent, signedAt: Math.round(signedAt), secondsSinceSigned },
  ];
}

const stampOf = (row: Row & StampRow): StampOfBlock => ({
  ...reportedOf(row),
  transactionHash: hexOfBytes(row.hash),
  batchIndex: (row.place ?? 1) - 1,
  collectionId: row.collection_id,
  account: hexOfBytes(row.account),
  setCid: hexOfBytes(row.set_cid),
  objectCid: hexOfBytes(row.object_cid),
});
