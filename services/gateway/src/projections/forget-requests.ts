import { requestDays } from '@indelible/messages';
import type { Database } from '@indelible/postgres';

/** Decided so long ago that it is forgotten. SQL of a row `r` of requests_without_stamp. */
export const isForgotten = `r.decided_at < now() - interval '${requestDays} days'`;

/**
 * Forgets requests that made no stamp and were decided long ago: which stamp they joined, why they were refused. Several replicas at once
 * share the work.
 * @returns how many, at most `limit`
 */
export async function forgetRequests(database: Pick<Database, 'query'>, limit = 5_000): Promise<number> {
  const { rows } = await database.query<{ forgotten: number }>({
    name: 'forget-requests',
    text: `with old as (
             delete from requests_without_stamp where ctid = any(array(
               select r.ctid from requests_without_stamp r where ${isForgotten}
               order by r.decided_at limit $1 for update skip locked))
             returning request_id
           ), joined as (
             delete from stamp_aliases where request_id = any(array(select request_id from old))
           ), refused as (
             delete from stamps where id = any(array(select request_id from old))
           )
           select count(*)::int as forgotten from old`,
    values: [limit],
  });
  return rows[0]?.forgotten ?? 0;
}
