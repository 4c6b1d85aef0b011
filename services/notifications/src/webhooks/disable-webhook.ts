import { checksumAddress, receiptTime } from '@indelible/identifiers';
import { type Database, decideInTransaction } from '@indelible/postgres';
import { eventIdOf, WebhookDisabled } from '@indelible/public-events';
import type { NewEvent } from '../decisions/event-of.ts';
import type { DisabledReason } from '../decisions/webhook-health.ts';
import { lockAccounts } from '../tables/counters.ts';
import type { Webhook } from '../tables/webhook-row.ts';
import { findWebhook, saveWebhook } from '../tables/webhooks.ts';
import { appendToLog } from '../use-cases/append-to-log.ts';

/**
 * Disables a webhook whose receiver does not accept its events, and reports it with an event in the owner's log.
 * @returns the event; undefined when the webhook changed since it was read
 */
export async function disableWebhook(
  database: Pick<Database, 'transaction'>,
  { account, webhookId, updatedAt }: Pick<Webhook, 'account' | 'webhookId' | 'updatedAt'>,
  reason: Exclude<DisabledReason, 'owner'>,
  now: Date,
): Promise<NewEvent | undefined> {
  return await decideInTransaction(database, async (client) => {
    const positions = await lockAccounts(client, [account]);
    const webhook = await findWebhook(client, account, webhookId, true);
    if (webhook?.status !== 'enabled' || webhook.updatedAt.getTime() !== updatedAt.getTime()) return undefined;
    await saveWebhook(client, {
      ...webhook,
      status: 'disabled',
      disabledReason: reason,
      disabledAt: now,
      updatedAt: now,
    });
    const event = disabledEvent(webhook, reason, now);
    await appendToLog(client, [event], positions);
    return event;
  });
}

function disabledEvent({ account, webhookId }: Webhook, reason: string, now: Date): NewEvent {
  const { name, version } = WebhookDisabled;
  const time = now.toISOString();
  const data = {
    webhook_id: webhookId,
    user_address: checksumAddress(account),
    reason,
    disabled_at: receiptTime(Math.floor(now.getTime() / 1000)),
  };
  return {
    account,
    event: { id: eventIdOf(WebhookDisabled, webhookId, time), name, version, subject: webhookId, time, data },
  };
}
