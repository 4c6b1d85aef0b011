import { requestDays } from '@indelible/messages';
import type { Database } from '@indelible/postgres';

/**
 * Deletes old published events of requests that were refused, or that joined or repeated a stamp: they only serve
 * clients that look up their request, and nothing is derived from them later.
 * @returns how many, at most `limit`
 */
export async function forgetRequests(database: Pick<Database, 'query'>, limit = 5_000): Promise<number> {
  const { rowCount } = await database.query(
    `delete from events where ctid = any(array(
       select e.ctid from events e
       where e.type in ('StampRequestRefused', 'StampRequestJoined') and e.recorded_at < now() - make_interval(days => $1)
         and e.position <= (select position from relay_cursor)
         and not exists (select from relay_held h where h.stream = e.stream)
       order by e.recorded_at limit $2))`,
    [requestDays, limit],
  );
  return rowCount ?? 0;
}
