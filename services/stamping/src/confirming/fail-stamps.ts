import { appendEvents } from '@indelible/event-store';
import { bytesOfHex, type Hex, hexOfBytes } from '@indelible/identifiers';
import type { AddressedReply, Refusal } from '@indelible/messages';
import type { Client } from '@indelible/postgres';
import { unserviceable } from '../accounts/unserviceable-accounts.ts';
import { eventsOfFailed, type FailedStamp, repliesOfFailed } from '../decisions/report-failed.ts';
import { schema } from '../schema.ts';
import { takeJoinedRequests } from './joined-requests.ts';

type FailedRow = {
  id: string;
  version: number;
  reply_to: string | null;
  request_id: string | null;
  traceparent: string | null;
  client_ref: string | null;
  account: Buffer;
  set_cid: Buffer;
  object_cid: Buffer;
  collection_name: string | null;
};

const failedColumns = `id, version, reply_to, request_id, traceparent, client_ref, account, set_cid, object_cid,
  (select name from collections where id = stamps.collection_id limit 1) as collection_name`;

/** Fails the stamps of a reverted batch with the reason, and replies to waiting requests (I6). */
export async function failStampsOfBatch(
  client: Client,
  batchId: string,
  refusal: Refusal,
): Promise<readonly AddressedReply[]> {
  const { rows } = await client.query<FailedRow>({
    name: 'fail-stamps-of-batch',
    text: `update stamps set status = 'failed', version = version + 1
           where status = 'requested' and id = any((select stamp_ids from batches where id = $1)::uuid[])
           returning ${failedColumns}`,
    values: [batchId],
  });
  return recordFailed(client, rows, refusal);
}

/** Most stamps of an account failed per transaction. */
export const mostFailed = 2_000;

/**
 * Fails an account's stamps that are in no batch yet, oldest first, at most {@link mostFailed}; none if the account has
 * granted again meanwhile.
 */
export async function failWaitingStamps(
  client: Client,
  account: Hex,
  refusal: Refusal,
): Promise<{ readonly failed: number; readonly replies: readonly AddressedReply[] }> {
  const { rows } = await client.query<FailedRow>({
    name: 'fail-waiting-stamps',
    text: `with taken as (
             delete from waiting_stamps where ctid = any(array(
               select ctid from waiting_stamps where account = $1
                 and exists (select from accounts a where a.account = $1 and ${unserviceable})
               order by seq limit ${mostFailed} for update skip locked))
             returning stamp_id)
           update stamps set status = 'failed', version = version + 1
           where status = 'requested' and id = any(array(select stamp_id from taken)) returning ${failedColumns}`,
    values: [bytesOfHex(account)],
  });
  return { failed: rows.length, replies: await recordFailed(client, rows, refusal) };
}

async function recordFailed(
  client: Client,
  rows: readonly FailedRow[],
  refusal: Refusal,
): Promise<readonly AddressedReply[]> {
  const stamps = rows.map(stampOf);
  await appendEvents(client, schema, eventsOfFailed(stamps, refusal, new Date().toISOString()));
  const joined = await takeJoinedRequests(
    client,
    stamps.map(({ stampId }) => stampId),
  );
  return repliesOfFailed(stamps, joined, refusal);
}

const stampOf = (row: FailedRow): FailedStamp => ({
  stampId: row.id,
  version: row.version,
  replyTo: row.reply_to,
  requestId: row.request_id,
  traceparent: row.traceparent,
  clientRef: row.client_ref,
  account: hexOfBytes(row.account),
  setCid: hexOfBytes(row.set_cid),
  objectCid: hexOfBytes(row.object_cid),
  collectionName: row.collection_name,
});
