import type { Hex } from '@indelible/identifiers';
import { arrayOf, type Client, type Database } from '@indelible/postgres';
import { columns, type Webhook, type WebhookRow, webhookOf } from './webhook-row.ts';

type Queries = Pick<Database, 'query'> | Client;

/** Enabled webhooks, by id or account. */
export async function findEnabled(
  client: Queries,
  by: { readonly ids: readonly string[] } | { readonly accounts: readonly Hex[] },
): Promise<readonly Webhook[]> {
  const isById = 'ids' in by;
  const { rows } = await client.query<WebhookRow>({
    name: isById ? 'find-enabled-webhooks' : 'find-webhooks-of-accounts',
    text: `select ${columns} from webhooks
           where status = 'enabled' and ${isById ? 'webhook_id = any($1::uuid[])' : 'account = any($1::bytea[])'}`,
    values: [isById ? arrayOf.uuid(by.ids) : arrayOf.bytea(by.accounts)],
  });
  return rows.map(webhookOf);
}

/** Enabled webhooks with events to deliver, retry or redeliver, ordered by id, after one. */
export async function findWork(client: Queries, after: string, limit: number): Promise<readonly Webhook[]> {
  const { rows } = await client.query<WebhookRow>({
    name: 'find-webhooks-with-work',
    text: `select ${columns} from webhooks w where status = 'enabled' and webhook_id > $2 and (
             position < (select position from accounts where account = w.account limit 1)
             or (select true from deliveries where webhook_id = w.webhook_id and status = 'waiting' limit 1)
             or (select true from redeliveries where webhook_id = w.webhook_id limit 1)
             or (select true from webhook_backlogs where webhook_id = w.webhook_id limit 1))
           order by webhook_id limit $1`,
    values: [limit, after],
  });
  return rows.map(webhookOf);
}

export type Move = {
  readonly webhookId: string;
  readonly position: number;
  readonly failingSince: Date | null;
};

/**
 * Stores the positions of webhooks, and since when they fail. Positions never decrease: a former leader may be late.
 */
export async function moveWebhooks(client: Client, moves: readonly Move[]): Promise<void> {
  if (moves.length === 0) return;
  await client.query({
    name: 'move-webhooks',
    // Sorted, so that leaders do not deadlock.
    text: `with locked as materialized (
             select webhook_id from webhooks where webhook_id = any($1::uuid[]) order by webhook_id for no key update)
           update webhooks set position = greatest(webhooks.position, m.position), failing_since = m.failing_since
           from unnest($1::uuid[], $2::bigint[], $3::timestamptz[]) as m (webhook_id, position, failing_since)
           where webhooks.webhook_id = any(array(select webhook_id from locked)) and webhooks.webhook_id = m.webhook_id`,
    values: [
      arrayOf.uuid(moves.map((move) => move.webhookId)),
      arrayOf.bigint(moves.map((move) => move.position)),
      arrayOf.timestamptz(moves.map((move) => move.failingSince)),
    ],
  });
}
