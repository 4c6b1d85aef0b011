import { arrayOf, type Client, type Database } from '@indelible/postgres';

/** For a collection, by CID, or '' for events of the account: events after the position must still be delivered. */
export type BacklogRow = { readonly webhookId: string; readonly set: string; readonly position: number };

type Queries = Pick<Database, 'query'> | Client;

const valuesOf = (rows: readonly BacklogRow[]) => [
  arrayOf.uuid(rows.map(({ webhookId }) => webhookId)),
  arrayOf.bytea(rows.map(({ set }) => (set === '' ? '0x' : set))),
  arrayOf.bigint(rows.map(({ position }) => position)),
];

/** @returns the positions of collections, by webhook; none for those without a backlog */
export async function findBacklogs(
  client: Queries,
  webhookIds: readonly string[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> {
  const found = new Map<string, Map<string, number>>();
  if (webhookIds.length === 0) return found;
  const { rows } = await client.query<{ webhook_id: string; set: string; position: number }>({
    name: 'find-webhook-backlogs',
    text: `select webhook_id, encode(set_cid, 'hex') as set, position from webhook_backlogs where webhook_id = any($1::uuid[])`,
    values: [arrayOf.uuid(webhookIds)],
  });
  for (const { webhook_id: id, set, position } of rows) {
    const own = found.get(id) ?? new Map<string, number>();
    found.set(id, own.set(set === '' ? '' : `0x${set}`, position));
  }
  return found;
}

const save = async (client: Client, rows: readonly BacklogRow[], which: 'least' | 'greatest'): Promise<void> => {
  if (rows.length === 0) return;
  await client.query({
    name: `save-webhook-backlogs-${which}`,
    // Sorted, so that leaders do not deadlock. A webhook deleted in between has none.
    text: `insert into webhook_backlogs as b (webhook_id, set_cid, position)
           select r.* from unnest($1::uuid[], $2::bytea[], $3::bigint[]) as r (webhook_id, set_cid, position)
           cross join lateral (select from webhooks where webhook_id = r.webhook_id limit 1) as w
           order by 1, 2
           on conflict (webhook_id, set_cid) do update set position = ${which}(b.position, excluded.position)`,
    values: valuesOf(rows),
  });
};

/** Another leader's earlier start stays: events are then sent twice, and none is omitted. */
export const beginBacklogs = (client: Client, rows: readonly BacklogRow[]): Promise<void> =>
  save(client, rows, 'least');

/** Stores delivery progress: a former leader cannot move it back. */
export const moveBacklogs = (client: Client, rows: readonly BacklogRow[]): Promise<void> =>
  save(client, rows, 'greatest');

/** @param rows that ended, with their webhooks' positions: another leader farther ahead may have left events since */
export async function endBacklogs(client: Client, rows: readonly BacklogRow[]): Promise<void> {
  if (rows.length === 0) return;
  await client.query({
    name: 'end-webhook-backlogs',
    text: `delete from webhook_backlogs where ctid = any(array(
             select b.ctid from unnest($1::uuid[], $2::bytea[], $3::bigint[]) as r (webhook_id, set_cid, position)
             cross join lateral (select ctid from webhook_backlogs
               where webhook_id = r.webhook_id and set_cid = r.set_cid and not exists (
                 select from webhooks where webhook_id = r.webhook_id and webhooks.position > r.position) limit 1) as b))`,
    values: valuesOf(rows),
  });
}
