import { HttpError } from '../../errors/http-error.ts';
import type { Webhooks } from '../../neighbours/webhooks.ts';
import type { Handler } from '../edge/call.ts';

/** The path of an operation in notifications, the same below the webhooks as here. */
const forward =
  (webhooks: Webhooks, method: string, pathOf: (id: string, deliveryId: string) => string): Handler =>
  async (call) => {
    const { id = '', delivery_id: deliveryId = '' } = call.params;
    const path = pathOf(id.toLowerCase(), deliveryId.toLowerCase());
    return answerOf(
      await webhooks({ method, path, account: call.account, query: call.query, json: call.json }, call.gone),
    );
  };

/** Errors of notifications have the same form as the gateway's. */
function answerOf({ status, body }: Awaited<ReturnType<Webhooks>>): Awaited<ReturnType<Handler>> {
  if (status < 400) return { status, body };
  const { error = 'invalid request', details } = body as { error?: string; details?: string };
  throw new HttpError(status, error, details === undefined ? {} : { details });
}

/** Operations on webhooks: authenticated and checked here, decided by notifications. */
export const webhookRoutes = (webhooks: Webhooks) => ({
  createWebhook: forward(webhooks, 'POST', () => ''),
  listWebhooks: forward(webhooks, 'GET', () => ''),
  getWebhook: forward(webhooks, 'GET', (id) => `/${id}`),
  updateWebhook: forward(webhooks, 'PATCH', (id) => `/${id}`),
  deleteWebhook: forward(webhooks, 'DELETE', (id) => `/${id}`),
  rotateWebhookSecret: forward(webhooks, 'POST', (id) => `/${id}/rotate-secret`),
  testWebhook: forward(webhooks, 'POST', (id) => `/${id}/test`),
  listWebhookDeliveries: forward(webhooks, 'GET', (id) => `/${id}/deliveries`),
  redeliverDelivery: forward(webhooks, 'POST', (id, delivery) => `/${id}/deliveries/${delivery}/redeliver`),
  redeliver: forward(webhooks, 'POST', (id) => `/${id}/redeliver`),
});
