import { type Hex, hexOfBytes } from '@indelible/identifiers';
import type { Client } from '@indelible/postgres';
import { withCollection } from '../collection-of-stamp.ts';
import type { WaitingStamp } from '../decisions/compose-batch.ts';
import { granted, leavingOut, maxAccounts } from './waiting-conditions.ts';

type StampRow = {
  id: string;
  seq: number;
  account: Buffer;
  set_cid: Buffer;
  object_cid: Buffer;
  collection_id: number | null;
  on_chain: boolean;
  reverted_batches: number;
  request_id: string | null;
  traceparent: string | null;
  collection_name: string | null;
  client_ref: string | null;
  attempt: number;
  reversions: number;
  waited: number;
};

/** A waiting stamp has been reverted as often as confirmed: both are versions of its stream, after the request. */
const stampColumns = `s.id, w.seq, s.account, s.set_cid, s.object_cid, s.collection_id, w.reverted_batches, s.request_id,
  s.traceparent, s.client_ref, s.resubmissions + 1 as attempt, (s.version - 1) / 2 as reversions,
  greatest(extract(epoch from clock_timestamp() - w.waiting_since), 0)::float4 as waited, c.name as collection_name,
  coalesce(c.created_block <= (select finalized from chain_cursor where chain_id = $2), false) as on_chain`;

/**
 * Claims and locks waiting stamps of reverted batches, most reverted first, apart from others. A set counts as on the
 * chain once its block is final: before that a reorg may put it behind the stamp. A stamp that was confirmed before a
 * reorg is claimed even for a left-out account: its client has the receipt (I4).
 */
export async function claimRevertedStamps(
  client: Client,
  chainId: number,
  limit: number,
  leftOut: readonly Hex[] = [],
): Promise<{ readonly stamps: readonly WaitingStamp[]; readonly revertedBatches: number }> {
  const rows = await claimReverted(client, chainId, limit, leftOut);
  const revertedBatches = rows[0]?.reverted_batches ?? 0;
  return { revertedBatches, stamps: rows.filter((row) => row.reverted_batches === revertedBatches).map(stampOf) };
}

/** Claims and locks stamps that wait for their first batch, accounts in turns; left-out accounts keep waiting. */
export async function claimStamps(
  client: Client,
  chainId: number,
  limit: number,
  leftOut: readonly Hex[] = [],
): Promise<readonly WaitingStamp[]> {
  return (await claimInTurns(client, chainId, limit, leftOut)).map(stampOf);
}

const stampOf = (row: StampRow): WaitingStamp => ({
  stampId: row.id,
  seq: row.seq,
  account: hexOfBytes(row.account),
  setCid: hexOfBytes(row.set_cid),
  objectCid: hexOfBytes(row.object_cid),
  collectionId: row.collection_id,
  setOnChain: row.on_chain,
  requestId: row.request_id,
  traceparent: row.traceparent,
  collectionName: row.collection_name,
  clientRef: row.client_ref,
  attempt: row.attempt,
  reversions: row.reversions,
  waitedSeconds: row.waited,
});

async function claimReverted(
  client: Client,
  chainId: number,
  limit: number,
  leftOut: readonly Hex[],
): Promise<StampRow[]> {
  const others = leavingOut(leftOut, 'w.account', 3, 's.version > 1');
  const { rows } = await client.query<StampRow>({
    name: `claim-reverted-stamps${others.suffix}`,
    text: `select ${stampColumns} from waiting_stamps w
             cross join lateral (select * from stamps where id = w.stamp_id limit 1) as s
             cross join lateral (select from accounts a where a.account = w.account and ${granted} limit 1) as granted
             ${withCollection}
           where w.reverted_batches > 0 ${others.condition}
           order by w.reverted_batches desc, w.seq limit $1
           for update of w skip locked`,
    values: [limit, chainId, ...others.values],
  });
  return rows;
}

/**
 * Takes the oldest stamp of every account, then the second of every account, and so on: an account that floods only
 * fills the room that others leave, and delays nobody by more than one batch. Accounts are found by hopping through the
 * index, longest waiting first; little more than its share is read of each. Waiting rows never change, so the chosen
 * ones can be locked where they were found. Statistics never give the right number of waiting rows: `limit 1` keeps the
 * planner from reading all stamps to join a few.
 */
async function claimInTurns(
  client: Client,
  chainId: number,
  limit: number,
  leftOut: readonly Hex[],
): Promise<StampRow[]> {
  const others = leavingOut(leftOut, 'hops.account', 3);
  const { rows } = await client.query<StampRow>({
    name: `claim-stamps-in-turns${others.suffix}`,
    text: `with recursive hops (account, seq) as (
             (select account, seq from waiting_stamps where reverted_batches = 0
              order by account, seq limit 1)
             union all
             select next.account, next.seq from hops
             cross join lateral (
               select account, seq from waiting_stamps
               where reverted_batches = 0 and account > hops.account
               order by account, seq limit 1) as next
           ), waiting as (
             select hops.account from hops cross join lateral (
               select from accounts a where a.account = hops.account and ${granted} ${others.condition} limit 1) as granted
             order by hops.seq limit ${maxAccounts}
           ), shares as (
             select greatest(ceil(4.0 * $1::int / greatest(count(*), 1)), 1)::int as most from waiting
           ), turns as (
             select one.place, one.seq, row_number() over (partition by one.account order by one.seq) as turn
             from waiting cross join shares cross join lateral (
               select ctid as place, account, seq from waiting_stamps
               where reverted_batches = 0 and account = waiting.account
               order by seq limit least(shares.most, $1::int)) as one
           ), chosen as (select place, turn, seq from turns order by turn, seq limit $1::int)
           select ${stampColumns} from chosen
             join waiting_stamps w on w.ctid = chosen.place
             cross join lateral (select * from stamps where id = w.stamp_id limit 1) as s ${withCollection}
           order by chosen.turn, chosen.seq
           for update of w skip locked`,
    values: [limit, chainId, ...others.values],
  });
  return rows;
}
