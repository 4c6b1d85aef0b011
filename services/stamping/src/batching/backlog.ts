import { type Hex, hexOfBytes } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';

/** Stamps between their request and their confirmation, and batches until they are final. */
export type Backlog = {
  readonly waiting: number;
  readonly submitted: number;
  readonly inBlock: number;
  readonly batchesNotFinal: number;
  /** Age of the oldest request, in seconds; 0 without one. */
  readonly oldestSeconds: number;
  readonly lanes: readonly LaneBacklog[];
};

export type LaneBacklog = {
  readonly lane: Hex;
  /** Signed transactions that are in no block. */
  readonly pending: number;
  /** Age of the oldest since signing, in seconds; 0 without one. */
  readonly oldestSeconds: number;
};

/** The most counted of each kind: bounds the query, however large the backlog is. */
const mostCounted = 10_000;
/** A lane has far fewer batches in no block. */
const mostBatches = 1_000;

const age = (column: string): string => `greatest(extract(epoch from clock_timestamp() - ${column}), 0)::float8`;

/**
 * Reads the backlog through partial indexes that hold nothing else. The oldest is, among waiting stamps, the one with
 * the lowest number; in a batch, its first stamp, since batches are composed oldest first; among stamps in blocks, the
 * oldest of the first blocks.
 * @param mostWaiting the bound of what waits
 */
export async function lookAtBacklog(database: Pick<Database, 'query'>, mostWaiting: number): Promise<Backlog> {
  const [{ rows: totals }, { rows: lanes }] = await Promise.all([
    database.query<Omit<Backlog, 'lanes'>>({
      name: 'look-at-backlog',
      text: `with waiting as materialized (
               select account, seq from waiting_stamps order by account, seq limit $1::bigint
             ), signed as materialized (
               select stamp_ids[1] as first, cardinality(stamp_ids) as stamps from batches
               where status = 'signed' and not is_void order by lane, nonce limit $2::bigint
             ), in_block as materialized (
               select requested_at from stamps where status = 'included' order by block_number limit $3::bigint
             ), not_final as (
               select from batches where status = 'included' order by block_number limit $3::bigint
             ), oldest as (
               select s.requested_at from (select account, seq from waiting order by seq limit 1) as w
                 cross join lateral (
                   select stamp_id from waiting_stamps where account = w.account and seq = w.seq limit 1) as i
                 cross join lateral (select requested_at from stamps where id = i.stamp_id limit 1) as s
               union all
               select s.requested_at from signed cross join lateral (
                 select requested_at from stamps where id = signed.first and status = 'requested' limit 1) as s
               union all
               select requested_at from in_block)
             select (select count(*)::int from waiting) as "waiting",
               (select coalesce(sum(stamps), 0)::int from signed) as "submitted",
               (select count(*)::int from in_block) as "inBlock",
               (select count(*)::int from not_final) as "batchesNotFinal",
               (select coalesce(max(${age('requested_at')}), 0) from oldest) as "oldestSeconds"`,
      values: [mostWaiting, mostBatches, mostCounted],
    }),
    database.query<Omit<LaneBacklog, 'lane'> & { lane: Buffer }>({
      name: 'look-at-lanes',
      text: `select l.lane, own.pending, own."oldestSeconds" from lanes l cross join lateral (
               select count(*)::int as pending, coalesce(max(${age('signed_at')}), 0) as "oldestSeconds" from (
                 select signed_at from batches where lane = l.lane and status = 'signed' order by nonce limit $1::bigint
               ) as signed) as own`,
      values: [mostBatches],
    }),
  ]);
  const [total] = totals;
  if (total === undefined) throw new Error('the backlog is one row');
  return { ...total, lanes: lanes.map(({ lane, ...own }) => ({ ...own, lane: hexOfBytes(lane) })) };
}
