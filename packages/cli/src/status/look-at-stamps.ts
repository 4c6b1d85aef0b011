import type { Client } from '@indelible/postgres';
import type { Finding } from './finding.ts';

/**
 * Batches name their stamps; those that wait for one are in a separate table. Included stamps count until confirmed.
 */
const oldest = `
  with candidates as (
    (select stamp_id as id from stamping.waiting_stamps order by seq limit 1)
    union all
    (select stamp_ids[1] from stamping.batches where status = 'signed' and kind = 'commit')
    union all
    (select stamp_ids[1] from stamping.batches where status = 'included' and kind = 'commit'))
  select (select count(*) from (select from stamping.waiting_stamps limit 1000000) as w) as waiting,
    (select extract(epoch from now() - min(s.requested_at))::float8 from candidates c
     cross join lateral (select requested_at from stamping.stamps
                         where id = c.id and status in ('requested', 'included') limit 1) as s) as age`;

/** The age of the oldest stamp that is not confirmed. */
export async function lookAtStamps(database: Pick<Client, 'query'>, most: number): Promise<readonly Finding[]> {
  const { rows } = await database.query<{ waiting: number; age: number | null }>(oldest);
  const { waiting = 0, age = null } = rows[0] ?? {};
  const seconds = age === null ? null : Math.max(0, Math.round(age));
  const finding: Finding = {
    name: 'stamps',
    ok: seconds === null || seconds <= most,
    text:
      seconds === null
        ? 'none is unconfirmed'
        : `the oldest unconfirmed is ${seconds} s old; ${waiting} wait for a batch`,
    data: { waiting, oldestSeconds: seconds },
  };
  return [finding];
}
