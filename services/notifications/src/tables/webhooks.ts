import { bytesOfHex, type Hex } from '@indelible/identifiers';
import type { Client, Database } from '@indelible/postgres';
import { schema } from '../schema.ts';
import { columns, valuesOf, type Webhook, type WebhookRow, webhookOf } from './webhook-row.ts';

/** Notifies the dispatcher of the ids of changed webhooks. */
export const webhooksChannel = `${schema}_webhooks`;

type Queries = Pick<Database, 'query'> | Client;

export const notifyDispatcher = async (client: Queries, webhookId: string): Promise<void> =>
  void (await client.query({
    name: 'notify-webhooks',
    text: 'select pg_notify($1, $2)',
    values: [webhooksChannel, webhookId],
  }));

/** @param most per account, whose row in `accounts` the transaction has locked @returns false when it has as many */
export async function insertWebhook(client: Client, webhook: Webhook, most: number): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'insert-webhook',
    text: `insert into webhooks (${columns})
           select $1, $2, $3, $4, $5, $6, $7, $8::bytea[], $9::timestamptz[], $10::text[], $11::bytea[], $12, $13, $14, $15, $16, $17,
             $18, $19, $20
           where (select count(*) from webhooks where account = $2) < $21`,
    values: [...valuesOf(webhook), webhook.createdAt, webhook.position, most],
  });
  return rowCount === 1;
}

/** Everything but creation time and position, which only the dispatcher moves. */
export async function saveWebhook(client: Client, webhook: Webhook): Promise<void> {
  await client.query({
    name: 'save-webhook',
    text: `update webhooks set url = $3, sealed_url = $4, secret = $5, former_secret = $6, former_until = $7,
             older_secrets = $8::bytea[], older_untils = $9::timestamptz[], types = $10::text[], collections = $11::bytea[],
             ordered = $12, description = $13, status = $14, disabled_reason = $15, disabled_at = $16, failing_since = $17,
             updated_at = $18
           where webhook_id = $1 and account = $2`,
    values: valuesOf(webhook),
  });
  await notifyDispatcher(client, webhook.webhookId);
}

export async function deleteWebhook(client: Client, account: Hex, webhookId: string): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'delete-webhook',
    text: 'delete from webhooks where webhook_id = $1 and account = $2',
    values: [webhookId, bytesOfHex(account)],
  });
  if (rowCount === 1) await notifyDispatcher(client, webhookId);
  return rowCount === 1;
}

export async function findWebhook(
  client: Queries,
  account: Hex,
  webhookId: string,
  lock = false,
): Promise<Webhook | undefined> {
  const { rows } = await client.query<WebhookRow>({
    name: lock ? 'lock-webhook' : 'find-webhook',
    text: `select ${columns} from webhooks where webhook_id = $1 and account = $2 ${lock ? 'for update' : ''}`,
    values: [webhookId, bytesOfHex(account)],
  });
  return rows.map(webhookOf)[0];
}

export async function listWebhooks(client: Queries, account: Hex): Promise<readonly Webhook[]> {
  const { rows } = await client.query<WebhookRow>({
    name: 'list-webhooks',
    text: `select ${columns} from webhooks where account = $1 order by created_at desc, webhook_id desc`,
    values: [bytesOfHex(account)],
  });
  return rows.map(webhookOf);
}
