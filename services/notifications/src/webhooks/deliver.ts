import { type CloudEvent, cloudEventOf, type EventOrigin, type LoggedEvent } from '@indelible/public-events';
import { failpoint, isSampled, type Span, type Tracing } from '@indelible/service-runtime';
import type { Attempt } from '../decisions/deliveries.ts';
import type { Attempted } from '../decisions/webhook-retries.ts';
import { signedHeaders } from '../webhook-requests/signatures.ts';
import type { WebhookAnswer, WebhookClient } from '../webhook-requests/webhook-client.ts';
import type { WebhookFault } from '../webhook-requests/webhook-fault.ts';

export type Receiver = { readonly url: string; readonly secrets: readonly string[] };

/** Sends an event of the log to a receiver once. Rejects only when `signal` aborts. */
export async function deliver(
  ports: {
    readonly client: Pick<WebhookClient, 'send'>;
    readonly origin: EventOrigin;
    readonly tracing: Pick<Tracing, 'on' | 'begin'>;
    readonly now: () => number;
  },
  receiver: Receiver,
  event: LoggedEvent,
  signal: AbortSignal,
): Promise<Attempted> {
  const span = beginDelivery(ports.tracing, event);
  const traceparent = span?.traceparent ?? event.traceparent;
  const attempted = await sendEvent(ports, receiver, cloudEventOf(event, ports.origin), signal, traceparent);
  const { status } = attempted.attempt;
  span?.end(
    status === null ? {} : { 'http.response.status_code': status },
    status === null || status >= 400 ? 'failed' : undefined,
  );
  failpoint('notifications.webhook-sent');
  return attempted;
}

/** The receiver is private to its owner: the span has nothing of it (I10). */
const beginDelivery = (tracing: Pick<Tracing, 'on' | 'begin'>, { name, traceparent }: LoggedEvent): Span | undefined =>
  tracing.on && isSampled(traceparent)
    ? tracing.begin(traceparent, {
        name: 'POST webhook',
        kind: 'client',
        attributes: { 'http.request.method': 'POST', 'indelible.event.name': name },
      })
    : undefined;

/**
 * Follows Standard Webhooks: the body is the CloudEvent in JSON, `webhook-id` its id, which is the same for retries and
 * redeliveries; every framework parses this content type.
 */
export async function sendEvent(
  { client, now }: { readonly client: Pick<WebhookClient, 'send'>; readonly now: () => number },
  { url, secrets }: Receiver,
  event: Pick<CloudEvent, 'id'>,
  signal: AbortSignal,
  traceparent?: string,
): Promise<Attempted> {
  const body = JSON.stringify(event);
  const at = new Date(now());
  const headers = {
    'content-type': 'application/json',
    ...signedHeaders(event.id, at, body, secrets),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
  const answer = await client.send({ url, headers, body, signal });
  return {
    attempt: { at: at.toISOString(), ...shownOf(answer) },
    retryAfter: 'status' in answer ? answer.retryAfter : undefined,
  };
}

const shownOf = (answer: WebhookAnswer | WebhookFault): Omit<Attempt, 'at'> =>
  'status' in answer
    ? { status: answer.status, body: answer.body, error: null, durationMs: answer.durationMs }
    : { status: null, body: null, error: `${answer.fault}: ${answer.message}`, durationMs: answer.durationMs };
