import type { Hex } from '@indelible/identifiers';
import { arrayOf, type Database } from '@indelible/postgres';

/** An accepted request whose status resource is about to be named. */
export type AcceptedStamp = {
  readonly id: string;
  readonly account: Hex;
  readonly objectCid: Hex;
  readonly setCid: Hex;
  readonly requestedAt: string;
};

const maxRows = 250;
const maxAttempts = 3;
const deadlock = '40P01';

/**
 * Notes accepted requests before their answers name their status resources, unless the projection knows them already: each
 * must be found at once, and stays as told until its own events come (I6). Of a request that joined a stamp which is not known yet, the stamp
 * is noted.
 */
export async function noteAccepted(database: Pick<Database, 'query'>, stamps: readonly AcceptedStamp[]): Promise<void> {
  // Of lines that joined one stamp, one row.
  const rows = [...new Map(stamps.map((stamp) => [stamp.id, stamp])).values()];
  for (let start = 0; start < rows.length; start += maxRows) {
    const some = rows.slice(start, start + maxRows);
    for (let attempt = 1; ; attempt++)
      try {
        await noteSome(database, some);
        break;
      } catch (error) {
        // The projection writes the same rows; whose statement was given up is chance.
        if ((error as { code?: unknown }).code !== deadlock || attempt === maxAttempts) throw error;
      }
  }
}

async function noteSome(database: Pick<Database, 'query'>, rows: readonly AcceptedStamp[]): Promise<void> {
  await database.query({
    name: 'note-accepted',
    // In the order of ids, as the projection writes them, so that the two seldom wait for each other in a ring.
    text: `insert into stamps (id, account, object_cid, set_cid, requested_at)
           select distinct on (1) coalesce((select a.stamp_id from stamp_aliases a where a.request_id = n.id), n.id),
             n.account, n.object_cid, n.set_cid, n.requested_at
           from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::timestamptz[])
             as n(id, account, object_cid, set_cid, requested_at)
           order by 1
           on conflict (id) do update set
             account = coalesce(stamps.account, excluded.account),
             object_cid = coalesce(stamps.object_cid, excluded.object_cid),
             set_cid = coalesce(stamps.set_cid, excluded.set_cid),
             requested_at = excluded.requested_at
           where stamps.requested_at is null`,
    values: [
      arrayOf.uuid(rows.map(({ id }) => id)),
      arrayOf.text(rows.map(({ account }) => account)),
      arrayOf.text(rows.map(({ objectCid }) => objectCid)),
      arrayOf.text(rows.map(({ setCid }) => setCid)),
      arrayOf.timestamptz(rows.map(({ requestedAt }) => requestedAt)),
    ],
  });
}
