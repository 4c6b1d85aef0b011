import { arrayOf, type Client, type Database } from '@indelible/postgres';

/**
 * Notes messages as handled by `consumer`, inside the transaction of their effects, and answers the ids that were not
 * handled before: only these may take effect (I5). Repeated ids within `messageIds` count once.
 */
export async function claimMessages(
  client: Client,
  consumer: string,
  messageIds: readonly string[],
): Promise<Set<string>> {
  const { rows } = await client.query<{ message_id: string }>({
    name: 'claim-messages',
    text: `insert into inbox (consumer, message_id) select $1, id from unnest($2::uuid[]) as id
           on conflict do nothing returning message_id`,
    values: [consumer, arrayOf.uuid([...new Set(messageIds)].sort())],
  });
  return new Set(rows.map((row) => row.message_id));
}

/**
 * Forgets messages handled more than `days` ago, at most `limit` of them a call. Redelivery later than that does not
 * happen: committed offsets, relay cursors and dead-letter replays are far younger.
 */
export async function pruneInbox(database: Pick<Database, 'query'>, days = 30, limit = 10_000): Promise<number> {
  const { rowCount } = await database.query(
    `delete from inbox where ctid in (
       select ctid from inbox where handled_at < now() - make_interval(days => $1) limit $2)`,
    [days, limit],
  );
  return rowCount ?? 0;
}
