import type { Hex } from '@indelible/identifiers';
import type { IncomingMessage } from '@indelible/kafka';
import type { Receipt, Refusal } from '@indelible/messages';
import { arrayOf, type Client, type Database } from '@indelible/postgres';
import { type ReceiptRow, receiptColumns, receiptOf, receiptRowColumns } from './receipt-row.ts';
import { type FoldedMessages, foldStampMessages } from './stamp-facts.ts';

export type StampStatus = 'accepted' | 'submitted' | 'confirmed' | 'finalized' | 'failed';

/** A stamp as its status resource tells it. */
export type StampView = {
  readonly id: string;
  readonly status: StampStatus;
  readonly requestedAt: Date;
  readonly objectCid: Hex;
  readonly setCid: Hex;
  readonly receipt: Receipt | null;
  readonly refusal: Refusal | null;
  readonly fileName: string | null;
  readonly filePath: string | null;
  /** Why the file that was to be stored never will be. */
  readonly fileFault: string | null;
};

/** Applies messages of events.stamps, events.requests and events.files, in the transaction of their inbox rows (I5). */
export async function projectStamps(client: Client, messages: readonly IncomingMessage[]): Promise<void> {
  const folded = foldStampMessages(messages);
  await upsertFacts(client, folded.facts);
  await upsertAliases(client, folded.aliases);
  await insertWithoutStamp(client, folded.withoutStamp);
  await insertSubmittedBatches(client, folded.submitted);
  await deleteDoneBatches(client, folded);
  await insertFinalBlocks(client, folded.finalBlocks);
}

async function upsertFacts(client: Client, facts: FoldedMessages['facts']): Promise<void> {
  if (facts.size === 0) return;
  // In the order of ids, so that batches of different partitions never wait for each other in a ring.
  const rows = [...facts].sort(([a], [b]) => (a < b ? -1 : 1));
  const column = <Value>(of: (row: (typeof rows)[number][1]) => Value | undefined): (Value | null)[] =>
    rows.map(([, row]) => of(row) ?? null);
  const receipts = rows.map(([, row]) => row.receipt ?? undefined);
  await client.query({
    name: 'upsert-stamps',
    text: `
      insert into stamps (id, account, object_cid, set_cid, requested_at, refusal, file_name, file_path,
        on_chain, chain_id, block_number, log_index, block_time, block_hash, transaction_hash, awaits_file, file_fault)
      select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::jsonb[],
        $7::text[], $8::text[], $9::boolean[], $10::bigint[], $11::bigint[], $12::int[], $13::bigint[], $14::bytea[],
        $15::bytea[], $16::boolean[], $17::text[])
      on conflict (id) do update set
        account = coalesce(excluded.account, stamps.account),
        object_cid = coalesce(excluded.object_cid, stamps.object_cid),
        set_cid = coalesce(excluded.set_cid, stamps.set_cid),
        requested_at = coalesce(excluded.requested_at, stamps.requested_at),
        refusal = coalesce(excluded.refusal, stamps.refusal),
        file_name = coalesce(excluded.file_name, stamps.file_name),
        file_path = coalesce(excluded.file_path, stamps.file_path),
        awaits_file = coalesce(excluded.awaits_file, stamps.awaits_file),
        file_fault = coalesce(excluded.file_fault, stamps.file_fault),
        on_chain = coalesce(excluded.on_chain, stamps.on_chain),
        ${receiptColumns.map((column) => `${column} = case when excluded.on_chain is null then stamps.${column} else excluded.${column} end`).join(', ')}
      -- What was accepted here is told of once more when it is decided: nothing new.
      where stamps.requested_at is distinct from coalesce(excluded.requested_at, stamps.requested_at)
        or excluded.on_chain is not null or excluded.refusal is not null or excluded.file_name is not null
        or excluded.file_fault is not null or (excluded.awaits_file and stamps.awaits_file is null)`,
    values: [
      arrayOf.uuid(rows.map(([id]) => id)),
      arrayOf.text(column((row) => row.account)),
      arrayOf.text(column((row) => row.objectCid)),
      arrayOf.text(column((row) => row.setCid)),
      arrayOf.timestamptz(column((row) => row.requestedAt)),
      arrayOf.jsonb(rows.map(([, row]) => (row.refusal === undefined ? null : JSON.stringify(row.refusal)))),
      arrayOf.text(column((row) => row.fileName)),
      arrayOf.text(column((row) => row.filePath)),
      arrayOf.boolean(rows.map(([, row]) => (row.receipt === undefined ? null : row.receipt !== null))),
      arrayOf.bigint(receipts.map((receipt) => receipt?.chainId)),
      arrayOf.bigint(receipts.map((receipt) => receipt?.blockNumber)),
      arrayOf.int(receipts.map((receipt) => receipt?.logIndex)),
      arrayOf.bigint(receipts.map((receipt) => receipt?.blockTime)),
      arrayOf.bytea(receipts.map((receipt) => receipt?.blockHash)),
      arrayOf.bytea(receipts.map((receipt) => receipt?.transactionHash)),
      arrayOf.boolean(column((row) => row.awaitsFile)),
      arrayOf.text(column((row) => row.fileFault)),
    ],
  });
}

async function insertSubmittedBatches(client: Client, batches: FoldedMessages['submitted']): Promise<void> {
  for (const [batchId, stampIds] of [...batches].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const sorted = stampIds.toSorted();
    await client.query({
      name: 'insert-submitted-batch',
      text: `insert into submitted_batches (batch_id, first_id, last_id, stamp_ids) values ($1, $2, $3, $4::uuid[])
             -- A further part of the batch.
             on conflict (batch_id) do update set first_id = least(submitted_batches.first_id, excluded.first_id),
               last_id = greatest(submitted_batches.last_id, excluded.last_id),
               stamp_ids = submitted_batches.stamp_ids || excluded.stamp_ids`,
      values: [batchId, sorted[0], sorted.at(-1), arrayOf.uuid(sorted)],
    });
  }
}

/**
 * Forgets the batches that are final, and those whose stamps came to an end otherwise: of a batch whose place another
 * transaction took nothing is told, its stamps go with other batches. One stays until each of its stamps is told of, so
 * that none of them seems to go back.
 */
async function deleteDoneBatches(
  client: Client,
  { doneBatches, doneStamps }: Pick<FoldedMessages, 'doneBatches' | 'doneStamps'>,
): Promise<void> {
  if (doneBatches.size === 0 && doneStamps.size === 0) return;
  await client.query({
    name: 'note-done-batches',
    text: 'update submitted_batches set is_done = true where batch_id = any($1::uuid[]) or first_id = any($2::uuid[])',
    values: [arrayOf.uuid([...doneBatches]), arrayOf.uuid([...doneStamps])],
  });
  await client.query({
    name: 'delete-done-batches',
    text: `delete from submitted_batches b where b.is_done and not exists (
             select from unnest(b.stamp_ids) as of_batch(id)
             left join lateral (select on_chain, refusal from stamps where id = of_batch.id limit 1) as s on true
             where s.on_chain is null and s.refusal is null)`,
  });
}

async function insertFinalBlocks(client: Client, hashes: FoldedMessages['finalBlocks']): Promise<void> {
  if (hashes.size === 0) return;
  await client.query({
    name: 'insert-final-blocks',
    text: 'insert into final_blocks select * from unnest($1::bytea[]) on conflict do nothing',
    values: [arrayOf.bytea([...hashes].sort())],
  });
}

/**
 * Notes joined requests. What was noted of them as stamps of their own, before the decision was known, is now known of the stamp they joined,
 * whose own events may come later: its status is found all the time (I6).
 */
async function upsertAliases(client: Client, aliases: FoldedMessages['aliases']): Promise<void> {
  if (aliases.size === 0) return;
  const joined = [arrayOf.uuid([...aliases.keys()]), arrayOf.uuid([...aliases.values()])];
  await client.query({
    name: 'insert-stamp-aliases',
    text: `insert into stamp_aliases (request_id, stamp_id) select * from unnest($1::uuid[], $2::uuid[])
           on conflict do nothing`,
    values: joined,
  });
  await client.query({
    name: 'move-joined-stamps',
    text: `with noted as (
             delete from stamps where id = any($1::uuid[])
             returning id, account, object_cid, set_cid, requested_at)
           insert into stamps (id, account, object_cid, set_cid, requested_at)
           select distinct on (stamp_id) stamp_id, account, object_cid, set_cid, requested_at
           from noted join unnest($1::uuid[], $2::uuid[]) as j(request_id, stamp_id) on j.request_id = noted.id
           where requested_at is not null
           order by stamp_id, requested_at
           on conflict (id) do update set
             account = coalesce(stamps.account, excluded.account),
             object_cid = coalesce(stamps.object_cid, excluded.object_cid),
             set_cid = coalesce(stamps.set_cid, excluded.set_cid),
             requested_at = excluded.requested_at
           where stamps.requested_at is null`,
    values: joined,
  });
}

async function insertWithoutStamp(client: Client, requests: FoldedMessages['withoutStamp']): Promise<void> {
  if (requests.size === 0) return;
  await client.query({
    name: 'insert-requests-without-stamp',
    text: `insert into requests_without_stamp (decided_at, request_id) select * from unnest($1::timestamptz[], $2::uuid[])
           on conflict do nothing`,
    values: [arrayOf.timestamptz([...requests.values()]), arrayOf.uuid([...requests.keys()])],
  });
}

/** Where a stamp stands on its way is looked up only for its status resource. */
type StampSoFar = Omit<StampView, 'status'>;

type Row<View> = Omit<View, 'receipt'> & ReceiptRow;

const rowColumns = `s.id, s.requested_at as "requestedAt", s.refusal, s.file_name as "fileName", s.file_path as "filePath",
  s.file_fault as "fileFault",
  ${receiptRowColumns('s')}`;

/**
 * Final with its block; submitted while a batch on its way has it, and while the file that came with it is not stored
 * (decisions, Stamps).
 */
const fullStatus = `case
    when s.status = 'confirmed' and s.awaits_file and s.file_path is null and s.file_fault is null then 'submitted'
    when s.status = 'confirmed' and (select true from final_blocks f where f.hash = s.block_hash limit 1) then 'finalized'
    when s.status = 'accepted' and exists (
      select from submitted_batches b where s.id between b.first_id and b.last_id and s.id = any(b.stamp_ids)
    ) then 'submitted'
    else s.status end`;

const seenOf = (row: Row<StampSoFar>): StampSoFar => ({
  id: row.id,
  requestedAt: row.requestedAt,
  objectCid: row.objectCid,
  setCid: row.setCid,
  receipt: receiptOf(row),
  refusal: row.refusal,
  fileName: row.fileName,
  filePath: row.filePath,
  fileFault: row.fileFault,
});

/** An account's stamps by their ids, or by those of requests that joined them: one query however many there are. */
export async function findStamps(
  database: Pick<Database, 'query'>,
  account: Hex,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StampView>> {
  const { rows } = await database.query<Row<StampView> & { requestedId: string }>({
    name: 'find-stamps',
    text: `select r.id as "requestedId", ${rowColumns}, ${fullStatus} as status
           from unnest($1::uuid[]) as r(id)
           left join lateral (select stamp_id from stamp_aliases where request_id = r.id limit 1) as a on true
           cross join lateral (
             select * from stamps
             where id = coalesce(a.stamp_id, r.id) and account = $2 and requested_at is not null limit 1) as s`,
    values: [arrayOf.uuid(ids), account],
  });
  return new Map(rows.map((row) => [row.requestedId, { ...seenOf(row), status: row.status }]));
}

/** An account's stamp by its id, or by the id of a request that joined it. */
export async function findStamp(
  database: Pick<Database, 'query'>,
  account: Hex,
  id: string,
): Promise<StampView | undefined> {
  return (await findStamps(database, account, [id])).get(id);
}

/** Which of these are stamps that are shown to any account, or requests that joined one. */
export async function knownStamps(
  database: Pick<Database, 'query'>,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await database.query<{ id: string }>({
    name: 'known-stamps',
    text: `select r.id from unnest($1::uuid[]) as r(id)
           left join lateral (select stamp_id from stamp_aliases where request_id = r.id limit 1) as a on true
           cross join lateral (
             select from stamps where id = coalesce(a.stamp_id, r.id) and requested_at is not null limit 1) as s`,
    values: [arrayOf.uuid(ids)],
  });
  return new Set(rows.map(({ id }) => id));
}

/** The stamps that requests have become, as far as they are known yet: one query however many wait. */
export async function stampsOfRequests(
  database: Pick<Database, 'query'>,
  requestIds: readonly string[],
): Promise<ReadonlyMap<string, StampSoFar>> {
  const { rows } = await database.query<Row<StampSoFar> & { requestId: string }>({
    name: 'stamps-of-requests',
    text: `select r.id as "requestId", ${rowColumns}
           from unnest($1::uuid[]) as r(id)
           left join lateral (select stamp_id from stamp_aliases where request_id = r.id limit 1) as a on true
           cross join lateral (
             select * from stamps where id = coalesce(a.stamp_id, r.id) and requested_at is not null limit 1) as s`,
    values: [arrayOf.uuid(requestIds)],
  });
  return new Map(rows.map((row) => [row.requestId, seenOf(row)]));
}
