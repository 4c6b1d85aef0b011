import { arrayOf, type Client } from '@indelible/postgres';
import type { JoinedRequest } from '../decisions/report-confirmed.ts';

/** Takes the requests that wait for these stamps; each gets one reply. */
export async function takeJoinedRequests(
  client: Client,
  stampIds: readonly string[],
): Promise<readonly JoinedRequest[]> {
  if (stampIds.length === 0) return [];
  const { rows } = await client.query<JoinedRequest>({
    name: 'take-joined-requests',
    text: `delete from joined_requests where stamp_id = any($1::uuid[])
           returning request_id as "requestId", stamp_id as "stampId", reply_to as "replyTo"`,
    values: [arrayOf.uuid(stampIds)],
  });
  return rows;
}
