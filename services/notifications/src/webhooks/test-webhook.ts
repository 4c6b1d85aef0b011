import { checksumAddress, newId } from '@indelible/identifiers';
import { type CloudEvent, cloudEventOf, type EventOrigin, WebhookTest } from '@indelible/public-events';
import { createFairShare, UnavailableError } from '@indelible/service-runtime';
import type { Attempt } from '../decisions/deliveries.ts';
import type { Webhook } from '../tables/webhook-row.ts';
import type { Sealer } from '../webhook-requests/sealer.ts';
import type { WebhookClient } from '../webhook-requests/webhook-client.ts';
import { sendEvent } from './deliver.ts';
import { receiverOf } from './lane-source.ts';

/** Tests at once in this process, each up to the client's 15 s; accounts share them (I12). */
const mostTests = 64;

/** Sends an event that is in no log, and returns the attempt, which does not count as a delivery. */
export function createWebhookTest(ports: {
  readonly client: Pick<WebhookClient, 'send'>;
  readonly sealer: Pick<Sealer, 'open'>;
  readonly origin: EventOrigin;
  readonly now: () => number;
}) {
  const underWay = new Set<string>();
  const places = createFairShare(mostTests);
  /** @throws UnavailableError during another test of the webhook, or when the account or the process has too many */
  return async (webhook: Webhook, signal: AbortSignal): Promise<{ event: CloudEvent; attempt: Attempt }> => {
    const { webhookId, account } = webhook;
    if (underWay.has(webhookId)) throw new UnavailableError('another test is under way');
    if (!places.take(account)) throw new UnavailableError('too many tests are under way');
    underWay.add(webhookId);
    try {
      const event = testEvent(webhookId, checksumAddress(account), ports.origin, new Date(ports.now()));
      const receiver = receiverOf(webhook, ports.sealer, ports.now());
      const { attempt } = await sendEvent(ports, receiver, event, signal);
      return { event, attempt };
    } finally {
      underWay.delete(webhookId);
      places.give(account);
    }
  };
}

function testEvent(webhookId: string, userAddress: string, origin: EventOrigin, now: Date): CloudEvent {
  const { name, version } = WebhookTest;
  const data = { webhook_id: webhookId, user_address: userAddress };
  const time = now.toISOString();
  return cloudEventOf({ id: newId(), name, version, subject: webhookId, time, sequence: 1, data }, origin);
}
