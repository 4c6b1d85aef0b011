import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { closeServer, listen, portOf } from '@indelible/service-runtime';
import { Webhook } from 'standardwebhooks';

export type Received = {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly event: { id: string; type: string; subject: string; sequence: string; data: Record<string, unknown> };
};

type Answer = { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string };
export type Script = (received: Received) => Answer | Promise<Answer>;

/** A receiver of webhooks on this machine, with scripted responses. */
export async function startReceiver(script: Script = () => ({ status: 204 })) {
  const received: Received[] = [];
  let answer = script;
  const server = createServer((request, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const body = Buffer.concat(chunks).toString();
      const one: Received = { headers: request.headers, body, event: JSON.parse(body) as Received['event'] };
      received.push(one);
      const { status, headers = {}, body: text = '' } = await answer(one);
      response.writeHead(status, headers).end(text);
    });
  });
  await listen(server, '127.0.0.1', 0);
  return {
    url: `http://127.0.0.1:${portOf(server)}/hook?token=private`,
    received,
    script(next: Script): void {
      answer = next;
    },
    ids: () => received.map(({ event }) => event.id),
    /** As `names` of a page: what came, without repeats. */
    names: () => [...new Map(received.map(({ event }) => [event.id, nameOf(event.type)])).values()],
    async stop(): Promise<void> {
      server.closeAllConnections();
      await closeServer(server, 0);
    },
  };
}
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Receivers that end together. */
export function createReceivers() {
  const started: Receiver[] = [];
  return {
    async start(script?: Script): Promise<Receiver> {
      const receiver = await startReceiver(script);
      started.push(receiver);
      return receiver;
    },
    async stop(): Promise<void> {
      for (const one of started.splice(0)) await one.stop();
    },
  };
}

export const nameOf = (type: string): string => type.replace(/^com\.indelible\.|\.v1$/g, '');

/** Whether a signature is by this secret, at whatever time: {@link isVerified} refuses what was not signed just now. */
export function isSignedBy({ headers, body, event }: Received, secret: string): boolean {
  const at = new Date(Number(headers['webhook-timestamp']) * 1_000);
  return String(headers['webhook-signature'])
    .split(' ')
    .includes(new Webhook(secret).sign(event.id, at, body));
}

/** As the Standard Webhooks library sees it. */
export function isVerified({ headers, body }: Received, secret: string): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}
