import { arrayOf, type Client, type Database } from '@indelible/postgres';

/** Of a collection, by its CID or '' for events of the account itself: events after the position are still to be delivered. */
export type BacklogRow = { readonly webhookId: string; readonly set: string; readonly position: number };

type Queries = Pick<Database, 'query'> | Client;

const valuesOf = (rows: readonly BacklogRow[]) => [
  arrayOf.uuid(rows.map(({ webhookId }) => webhookId)),
  arrayOf.bytea(rows.map(({ set }) => (set === '' ? '0x' : set))),
  arrayOf.bigint(rows.map(({ position }) => position)),
];

/** @returns the positions of collections, by webhook; nothing of those that have no backlog */
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
    // In one order, so that no two leaders wait for each other. A webhook that has been deleted in between has none.
    text: `insert into webhook_backlogs as b (webhook_id, set_cid, position)
           select r.* from unnest($1::uuid[], $2::bytea[], $3::bigint[]) as r (webhook_id, set_cid, position)
           cross join lateral (select from webhooks where webhook_id = r.webhook_id limit 1) as w
           order by 1, 2
           on conflict (webhook_id, set_cid) do update set position = ${which}(b.position, excluded.position)`,
    values: valuesOf(rows),
  });
};

/** One that another leader began farther back stays there: events come twice then, and none is left out. */
export const beginBacklogs = (client: Client, rows: readonly BacklogRow[]): Promise<void> =>
  save(client, rows, 'least');

/** How far they are delivered: that is not taken back by a former leader. */
export const moveBacklogs = (client: Client, rows: readonly BacklogRow[]): Promise<void> =>
  save(client, rows, 'greatest');

/** @param rows of those that have ended, with how far their webhooks are: another leader that is farther ahead may have left events since */
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
