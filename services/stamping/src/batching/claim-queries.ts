import { bytesOfHex, type Hex, hexOfBytes } from '@indelible/identifiers';
import { arrayOf, type Client, type Database } from '@indelible/postgres';
import type { WaitingCollection, WaitingStamp } from '../decisions/compose-batch.ts';
import { notFinal } from './lane-lease.ts';

const unrecorded = 'created_block is null and batch_id is null and reverted_batches = 0';
/** After so many reverted batches, alone, it is never recorded: the limit is in the index as well. */
const revertedCollections =
  'created_block is null and batch_id is null and reverted_batches > 0 and reverted_batches < 10';
const granted = 'a.granted_block is not null and a.revoked_block is null';

/**
 * A claim that leaves accounts out is another statement, with their array as its last parameter: while none is left out, as
 * nearly always, the condition costs nothing.
 * @param unless what is claimed all the same
 */
const leavingOut = (leftOut: readonly Hex[], column: string, parameter: number, unless?: string) =>
  leftOut.length === 0
    ? { suffix: '', condition: '', values: [] }
    : {
        suffix: '-of-others',
        condition: `and (${column} <> all($${parameter}::bytea[])${unless === undefined ? '' : ` or ${unless}`})`,
        values: [arrayOf.bytea(leftOut)],
      };

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

/** A stamp that waits has been reverted as often as it was confirmed: both are versions of its stream, behind the request. */
const stampColumns = `s.id, w.seq, s.account, s.set_cid, s.object_cid, s.collection_id, w.reverted_batches, s.request_id,
  s.traceparent, s.client_ref, s.resubmissions + 1 as attempt, (s.version - 1) / 2 as reversions,
  greatest(extract(epoch from clock_timestamp() - w.waiting_since), 0)::float4 as waited, c.name as collection_name,
  coalesce(c.created_block <= (select finalized from chain_cursor where chain_id = $2), false) as on_chain`;
const withCollection =
  'left join lateral (select name, created_block from collections where id = s.collection_id limit 1) as c on true';

/**
 * Stamps that wait and were in reverted batches, locked: those of the most reverted batches, apart from others. A set
 * counts as on the chain when its block is final: before that a reorg may put it behind the stamp. One that was confirmed
 * before, and that a reorg took back, is claimed even of an account that is left out: its client has its receipt (I4).
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

/** Stamps that wait for their first batch, in turns of accounts, locked; those of the accounts that are left out wait on. */
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

/** So many accounts share a batch at most; the rest of a crowd comes with the next one. */
const maxAccounts = 1_000;

/**
 * The oldest of every account, then the second of every account, and so on: one that floods fills what room the others
 * leave, and nobody waits for it longer than for one more batch. Accounts are found by hopping through the index, the
 * one whose oldest waits longest first; of each no more is read than its share and some. Rows that wait never change, so
 * that what was chosen is locked where it was found. How many wait is never what statistics say: the limit of one keeps the
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

/** Collections that wait for their first batch, in turns of accounts as stamps are, locked. */
export async function claimCollections(
  client: Client,
  limit: number,
  leftOut: readonly Hex[] = [],
): Promise<readonly WaitingCollection[]> {
  const others = leavingOut(leftOut, 'hops.account', 2);
  const { rows } = await client.query<{ id: number; account: Buffer; cid: Buffer }>({
    name: `claim-collections${others.suffix}`,
    text: `with recursive hops (account, id) as (
             (select account, id from collections where ${unrecorded}
              order by account, id limit 1)
             union all
             select next.account, next.id from hops
             cross join lateral (
               select account, id from collections
               where ${unrecorded} and account > hops.account
               order by account, id limit 1) as next
           ), waiting as (
             select hops.account from hops cross join lateral (
               select from accounts a where a.account = hops.account and ${granted} ${others.condition} limit 1) as granted
             order by hops.id limit ${maxAccounts}
           ), turns as (
             select one.place, one.id, row_number() over (partition by one.account order by one.id) as turn
             from waiting cross join lateral (
               select ctid as place, account, id from collections
               where ${unrecorded} and account = waiting.account
               order by id limit $1::int) as one
           ), chosen as (select place, id, turn from turns order by turn, id limit $1::int)
           select c.id, c.account, c.cid from collections c
           where c.ctid = any(array(select place from chosen)) and c.created_block is null and c.batch_id is null
           for update of c skip locked`,
    values: [limit, ...others.values],
  });
  const turns = new Map<Hex, number>();
  return rows
    .sort((a, b) => a.id - b.id)
    .map((row) => {
      const account = hexOfBytes(row.account);
      const turn = (turns.get(account) ?? 0) + 1;
      turns.set(account, turn);
      return { turn, collection: { collectionId: row.id, account, cid: hexOfBytes(row.cid) } };
    })
    .sort((a, b) => a.turn - b.turn)
    .map(({ collection }) => collection);
}

/**
 * A collection that was in a reverted batch, locked: it comes alone, so that it takes no other with it. As with stamps, one
 * that was on the chain before is claimed of an account that is left out as well (I4).
 */
export async function claimRevertedCollection(
  client: Client,
  leftOut: readonly Hex[] = [],
): Promise<{ readonly collections: readonly WaitingCollection[]; readonly revertedBatches: number }> {
  const others = leavingOut(leftOut, 'c.account', 1, 'c.version > 1');
  const { rows } = await client.query<{ id: number; account: Buffer; cid: Buffer; reverted_batches: number }>({
    name: `claim-reverted-collection${others.suffix}`,
    text: `select c.id, c.account, c.cid, c.reverted_batches from collections c cross join lateral (
             select from accounts a where a.account = c.account and ${granted} limit 1) as granted
           where ${revertedCollections} ${others.condition}
           order by c.reverted_batches, c.id limit 1 for update of c skip locked`,
    values: others.values,
  });
  return {
    revertedBatches: rows[0]?.reverted_batches ?? 0,
    collections: rows.map((row) => ({
      collectionId: row.id,
      account: hexOfBytes(row.account),
      cid: hexOfBytes(row.cid),
    })),
  };
}

export type WaitingGrant = { readonly account: Hex; readonly nonce: number; readonly signature: Hex };

/** The next account whose grant no batch records yet, locked. */
export async function claimGrant(client: Client): Promise<WaitingGrant | undefined> {
  const { rows } = await client.query<{ account: Buffer; grant_nonce: number; grant_signature: Buffer }>({
    name: 'claim-grant',
    text: `select account, grant_nonce, grant_signature from accounts
           where granted_block is null and grant_batch_id is null
           order by opened_at limit 1 for update skip locked`,
  });
  const row = rows[0];
  if (row === undefined) return undefined;
  return { account: hexOfBytes(row.account), nonce: row.grant_nonce, signature: hexOfBytes(row.grant_signature) };
}

/** What a lane may have to do; what is not there need not be claimed. */
export type Outlook = {
  readonly grants: boolean;
  /** Stamps and collections of reverted batches. */
  readonly reverted: boolean;
  readonly stamps: boolean;
  readonly collections: boolean;
};

/** As it may be: for whoever claims without having looked. */
export const unknownOutlook: Outlook = { grants: true, reverted: true, stamps: true, collections: true };

export type LaneOutlook = Outlook & {
  /** Batches that wait for a block for the first time. */
  readonly inFlight: number;
  /** Batches whose nonce is used, and that wait for a final block which settles them. */
  readonly unsettled: number;
  /** All that are in no block, those that a reorg took back included. */
  readonly unincluded: number;
  /** `drained`: it takes nothing new, and all its batches are final; `draining`: some are not. */
  readonly closed: 'no' | 'draining' | 'drained';
};

/** How many of the lane's batches are not in a block yet, and what waits for a batch: one look, each into its own index. */
export async function lookAround(client: Pick<Database, 'query'>, lane: Hex): Promise<LaneOutlook> {
  const { rows } = await client.query<LaneOutlook>({
    name: 'look-around',
    text: `select own.*,
             exists (select from accounts where granted_block is null and grant_batch_id is null) as grants,
             (select true from waiting_stamps where reverted_batches > 0
              order by reverted_batches desc, seq limit 1) is not null
               or exists (select from collections where ${revertedCollections}) as reverted,
             (select true from waiting_stamps where reverted_batches = 0
              order by account, seq limit 1) is not null as stamps,
             exists (select from collections where ${unrecorded}) as collections,
             (select case when not l.draining then 'no'
                when ${notFinal('l.lane')} then 'draining'
                else 'drained' end from lanes l where l.lane = $1) as closed
           from (select count(*) filter (where nonce_used_block is null and taken_back_at is null) as "inFlight",
                   count(*) filter (where nonce_used_block is not null) as unsettled, count(*) as unincluded
                 from batches where lane = $1 and status = 'signed') as own`,
    values: [bytesOfHex(lane)],
  });
  return rows[0] as LaneOutlook;
}
