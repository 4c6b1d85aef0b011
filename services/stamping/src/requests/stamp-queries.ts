import { type Hex, hexOfBytes } from '@indelible/identifiers';
import type { Receipt, StagedContent } from '@indelible/messages';
import { arrayOf, type Client } from '@indelible/postgres';
import { type IdentityState, identityKey } from '../decisions/decide-stamp.ts';
import { type ReceiptRow, receiptColumns, receiptOf } from '../receipt-row.ts';
import { type Work, workChannel } from '../work-channel.ts';

export type Identity = { readonly account: Hex; readonly setCid: Hex; readonly objectCid: Hex };

export type IdentityRow = ReceiptRow & { id: string; status: 'requested' | 'included' | 'confirmed' };

/**
 * CTEs that end with `identities`: for each identity a stamp in flight, and the newest on the chain. A stamp in flight
 * is locked against a change of status until the decision is recorded: a stamp that is joined cannot be confirmed, and
 * its waiting requests answered, in between. A stamp confirmed meanwhile counts as the newest.
 *
 * Each is the first row at its position in `stamps_of_identity`, however long the identity's history. Of stamps in
 * blocks the later ones are confirmed last: when the first row is confirmed, none is in flight.
 */
export const identityTables = (accounts: string, sets: string, objects: string): string => `
  known as materialized (
    select case when first.status <> 'confirmed' then first.id end as id, on_chain.id as on_chain_id
    from unnest(${accounts}::bytea[], ${sets}::bytea[], ${objects}::bytea[]) as w (account, set_cid, object_cid)
    cross join lateral (
      select id, status from stamps
      where object_cid = w.object_cid and account = w.account and set_cid = w.set_cid and status <> 'failed'
      order by block_number desc nulls first, log_index desc limit 1) as first
    left join lateral (
      select id from stamps
      where object_cid = w.object_cid and account = w.account and set_cid = w.set_cid and status <> 'failed'
        and block_number is not null
      order by block_number desc nulls first, log_index desc limit 1) as on_chain on true
  ), locked as materialized (
    select s.id, s.status, ${receiptColumns('s')} from stamps s
    where s.id = any(array(select id from known)) and s.status <> 'failed'
    order by s.id for share of s
  ), identities as materialized (
    select * from locked
    union all
    select s.id, s.status, ${receiptColumns('s')} from stamps s
    where s.id = any(array(select on_chain_id from known)) and s.status = 'confirmed')`;

/** Values for {@link identityTables}, each identity once. */
export function identityValues(identities: readonly Identity[]): readonly [Buffer, Buffer, Buffer] {
  const distinct = [
    ...new Map(identities.map((one) => [identityKey(one.account, one.setCid, one.objectCid), one])).values(),
  ];
  return [
    arrayOf.bytea(distinct.map((identity) => identity.account)),
    arrayOf.bytea(distinct.map((identity) => identity.setCid)),
    arrayOf.bytea(distinct.map((identity) => identity.objectCid)),
  ];
}

/** The state of each identity, by {@link identityKey}. */
export async function loadIdentities(
  client: Client,
  chainId: number,
  identities: readonly Identity[],
): Promise<Map<string, IdentityState>> {
  if (identities.length === 0) return new Map();
  const { rows } = await client.query<IdentityRow>({
    name: 'load-identities',
    text: `with ${identityTables('$1', '$2', '$3')} select * from identities`,
    values: [...identityValues(identities)],
  });
  return identityStates(rows, chainId);
}

export function identityStates(rows: readonly IdentityRow[], chainId: number): Map<string, IdentityState> {
  const states = new Map<string, IdentityState>();
  for (const row of rows) {
    const key = identityKey(hexOfBytes(row.account), hexOfBytes(row.set_cid), hexOfBytes(row.object_cid));
    const state = states.get(key) ?? { inFlight: undefined, newest: undefined };
    if (row.status !== 'confirmed') states.set(key, { ...state, inFlight: { stampId: row.id } });
    else {
      const newest = { stampId: row.id, receipt: receiptOf(row, chainId) };
      if (state.newest === undefined || isNewer(newest.receipt, state.newest.receipt))
        states.set(key, { ...state, newest });
    }
  }
  return states;
}

const isNewer = (one: Receipt, other: Receipt): boolean =>
  one.blockNumber > other.blockNumber || (one.blockNumber === other.blockNumber && one.logIndex > other.logIndex);

export type NewStamp = Identity & {
  readonly id: string;
  readonly collectionId: number | null;
  readonly exclusive: boolean;
  readonly content: StagedContent | null;
  readonly replyTo: string | null;
  /** HTTP request id, for correlation. */
  readonly requestId: string | null;
  /** W3C trace context of its decision; later steps continue from it. */
  readonly traceparent: string | null;
  readonly clientRef: string | null;
  readonly requestedAt: string;
};

/**
 * Inserts new stamps in order, and wakes the batchers on commit. A second exclusive one in flight for an identity is a
 * unique violation (I2).
 */
export async function insertStamps(client: Client, stamps: readonly NewStamp[]): Promise<void> {
  if (stamps.length === 0) return;
  await client.query({
    name: 'insert-stamps',
    text: `with inserted as (insert into stamps (id, account, set_cid, object_cid, collection_id, status, exclusive,
             content, reply_to, request_id, client_ref, requested_at, traceparent, version)
           select id, account, set_cid, object_cid, collection_id, 'requested', exclusive, content, reply_to, request_id,
             client_ref, requested_at, traceparent, 1
           from unnest($1::uuid[], $2::bytea[], $3::bytea[], $4::bytea[], $5::bigint[], $6::boolean[], $7::json[],
             $8::text[], $9::uuid[], $10::text[], $11::timestamptz[], $12::text[])
             with ordinality as n (id, account, set_cid, object_cid, collection_id, exclusive, content, reply_to,
               request_id, client_ref, requested_at, traceparent, place)
           order by place returning id, account, seq),
           waiting as (insert into waiting_stamps (account, seq, stamp_id) select account, seq, id from inserted)
           select pg_notify($13, $14)`,
    values: [
      arrayOf.uuid(stamps.map((stamp) => stamp.id)),
      arrayOf.bytea(stamps.map((stamp) => stamp.account)),
      arrayOf.bytea(stamps.map((stamp) => stamp.setCid)),
      arrayOf.bytea(stamps.map((stamp) => stamp.objectCid)),
      arrayOf.bigint(stamps.map((stamp) => stamp.collectionId)),
      arrayOf.boolean(stamps.map((stamp) => stamp.exclusive)),
      arrayOf.json(stamps.map((stamp) => (stamp.content === null ? null : JSON.stringify(stamp.content)))),
      arrayOf.text(stamps.map((stamp) => stamp.replyTo)),
      arrayOf.uuid(stamps.map((stamp) => stamp.requestId)),
      arrayOf.text(stamps.map((stamp) => stamp.clientRef)),
      arrayOf.timestamptz(stamps.map((stamp) => stamp.requestedAt)),
      // A missing array gives nulls.
      stamps.some((stamp) => stamp.traceparent !== null)
        ? arrayOf.text(stamps.map((stamp) => stamp.traceparent))
        : null,
      ...[workChannel, 'waiting' satisfies Work],
    ],
  });
}

/** Records requests that get the outcome of the stamp they joined. */
export async function insertJoinedRequests(
  client: Client,
  requests: readonly { readonly requestId: string; readonly stampId: string; readonly replyTo: string }[],
): Promise<void> {
  if (requests.length === 0) return;
  await client.query({
    name: 'insert-joined-requests',
    text: 'insert into joined_requests (request_id, stamp_id, reply_to) select * from unnest($1::uuid[], $2::uuid[], $3::text[])',
    values: [
      arrayOf.uuid(requests.map((request) => request.requestId)),
      arrayOf.uuid(requests.map((request) => request.stampId)),
      arrayOf.text(requests.map((request) => request.replyTo)),
    ],
  });
}
