import { appendEvents, newEvent } from '@indelible/event-store';
import { type Refusal, StampFailed } from '@indelible/messages';
import type { Client } from '@indelible/postgres';
import type { AddressedReply } from '@indelible/replies';
import { schema } from '../schema.ts';
import { stampStream } from '../stamp-stream.ts';
import { takeJoinedRequests } from './joined-requests.ts';

/** Which stamps fail: those of a reverted batch, or those of an account that are in no batch yet. */
const selections = {
  batch: `id = any((select stamp_ids from batches where id = $1)::uuid[])`,
  'waiting of account': 'id in (select stamp_id from gone)',
} as const;

/** Ends stamps that can never be on the chain, says why, and answers whom to tell (I6). */
export async function failStamps(
  client: Client,
  selection: keyof typeof selections,
  parameter: string | Buffer,
  refusal: Refusal,
): Promise<readonly AddressedReply[]> {
  const { rows } = await client.query<{ id: string; version: number; reply_to: string | null }>(
    `${selection === 'batch' ? '' : 'with gone as (delete from waiting_stamps where account = $1 returning stamp_id)'}
     update stamps set status = 'failed', version = version + 1
     where status = 'requested' and ${selections[selection]} returning id, version, reply_to`,
    [parameter],
  );
  await appendEvents(
    client,
    schema,
    rows.map((row) =>
      newEvent(StampFailed, { stampId: row.id, refusal }, { stream: stampStream(row.id), version: row.version }),
    ),
  );
  const joined = await takeJoinedRequests(
    client,
    rows.map((row) => row.id),
  );
  return [
    ...rows.map((row) => ({ requestId: row.id, replyTo: row.reply_to })),
    ...joined.map((request) => ({ requestId: request.requestId, replyTo: request.replyTo as string | null })),
  ].flatMap(({ requestId, replyTo }) =>
    replyTo === null ? [] : [{ replyTo, reply: { requestId, kind: 'refused' as const, refusal } }],
  );
}
