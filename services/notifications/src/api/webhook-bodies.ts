import type { Attempt } from '../decisions/deliveries.ts';
import type { Delivery } from '../tables/delivery-list.ts';
import type { Redelivery } from '../tables/redeliveries.ts';
import type { Webhook } from '../tables/webhook-row.ts';

/** The form of webhooks, here and in the REST API, which passes it on: services/gateway/openapi/indelible.yaml. */
export const webhookBody = (webhook: Webhook, url: string, redelivery: Redelivery | undefined, secret?: string) => ({
  id: webhook.webhookId,
  url,
  types: webhook.types,
  collections: webhook.collections,
  ordered: webhook.ordered,
  description: webhook.description,
  status: webhook.status,
  disabled_reason: webhook.disabledReason,
  disabled_at: webhook.disabledAt,
  failing_since: webhook.failingSince,
  created_at: webhook.createdAt,
  updated_at: webhook.updatedAt,
  ...(redelivery === undefined ? {} : { redelivery: redeliveryBody(redelivery) }),
  ...(secret === undefined ? {} : { secret }),
});

export const redeliveryBody = ({ since, until, types, requestedAt }: Redelivery) => ({
  since,
  until,
  types,
  requested_at: requestedAt,
});

export const attemptBody = ({ at, status, body, error, durationMs }: Attempt) => ({
  at,
  http_status: status,
  body,
  error,
  duration_ms: durationMs,
});

export const deliveryBody = ({ eventId, type, status, attempts, nextAttemptAt }: Delivery) => ({
  id: eventId,
  type,
  status,
  attempts: attempts.map(attemptBody),
  next_attempt_at: status === 'waiting' ? nextAttemptAt : null,
});
