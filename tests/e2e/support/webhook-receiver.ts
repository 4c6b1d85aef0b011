import { createServer, type IncomingHttpHeaders } from 'node:http';
import { closeServer, listen, portOf } from '@indelible/service-runtime';
import { Webhook } from 'standardwebhooks';

/** A webhook receiver as its author writes it: it keeps what the Standard Webhooks library verifies. */
export async function startWebhookReceiver() {
  const received: { headers: IncomingHttpHeaders; body: string }[] = [];
  const server = await listen(
    createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      received.push({ headers: request.headers, body });
      response.writeHead(204).end();
    }),
    '127.0.0.1',
    0,
  );
  return {
    url: `http://127.0.0.1:${portOf(server)}/hook`,
    received: received as readonly { readonly headers: IncomingHttpHeaders; readonly body: string }[],
    /** @throws WebhookVerificationError */
    verified: (secret: string) =>
      received.map(
        ({ headers, body }) =>
          new Webhook(secret).verify(body, headers as Record<string, string>) as {
            readonly type: string;
            readonly subject: string;
            readonly data: Readonly<Record<string, unknown>>;
          },
      ),
    async stop(): Promise<void> {
      server.closeAllConnections();
      await closeServer(server, 0);
    },
  };
}
