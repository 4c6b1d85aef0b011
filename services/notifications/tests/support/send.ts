import {
  createWebhookClient,
  type WebhookClient,
  type WebhookClientOptions,
} from '../../src/webhook-requests/webhook-client.ts';

export const body = '{"type":"com.indelible.stamp.confirmed.v1","client_ref":"ü"}';
const clients: WebhookClient[] = [];

/** A client that is closed by {@link closeClients}; its deadline is far away unless given. */
export function clientOf(options: Partial<WebhookClientOptions> = {}) {
  const client = createWebhookClient({ allowLoopbackHttp: true, timeoutMs: 20_000, ...options });
  clients.push(client);
  return {
    send: (url: string, signal: AbortSignal = new AbortController().signal) =>
      client.send({ url, headers: { 'content-type': 'application/json' }, body, signal }),
    close: () => client.close(),
  };
}

export const closeClients = () => Promise.all(clients.splice(0).map((client) => client.close()));
