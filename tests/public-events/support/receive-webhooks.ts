import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { eventNames } from '@indelible/public-events';
import { closeServer, listen, portOf } from '@indelible/service-runtime';
import { eventually } from '@indelible/testing';
import { Webhook } from 'standardwebhooks';
import { type EventInJson, type SeenEvent, seenEventOf } from './public-event.ts';
import type { FaultySubscriber } from './subscriber.ts';

type Owner = { readonly rootUrl: string; readonly address: string; readonly apiKey: string };
type Page = { readonly deliveries: readonly { readonly id: string }[] };

/** Before every event of a test. */
const beginning = '2020-01-01T00:00:00Z';

/**
 * A receiver of a webhook for all events of its owner, those before its creation as well. It notes an event before it answers, and
 * complains of what the library of Standard Webhooks cannot verify.
 */
export async function startWebhookReceiver(owner: Owner, ordered: boolean): Promise<FaultySubscriber> {
  const events: SeenEvent[] = [];
  const complaints: string[] = [];
  let secret: string | undefined;
  /** Answers in place of the ordinary handler while a fault lasts. */
  let disturbed: ((response: ServerResponse) => Promise<void>) | undefined;

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    if (disturbed !== undefined) return disturbed(response);
    if (secret === undefined) return void response.writeHead(503).end();
    try {
      const event = new Webhook(secret).verify(body, request.headers as Record<string, string>) as EventInJson;
      events.push(seenEventOf(event, owner.address));
      response.writeHead(204).end();
    } catch (error) {
      complaints.push(`${request.headers['webhook-id']}: ${error}`);
      response.writeHead(400).end();
    }
  }
  const start = async (port: number) => {
    const server = createServer((request, response) => {
      // Its body was broken off.
      take(request, response).catch(() => response.destroy());
    });
    await listen(server, '127.0.0.1', port);
    return server;
  };
  let server = await start(0);
  const port = portOf(server);
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await closeServer(server, 0);
  };
  const during = async (ms: number, instead: (response: ServerResponse) => Promise<void>): Promise<void> => {
    disturbed = instead;
    await delay(ms);
    disturbed = undefined;
  };

  const path = await createWebhook();
  async function createWebhook(): Promise<string> {
    const url = `http://127.0.0.1:${port}/events`;
    const created = await ask<{ id: string; secret: string }>(owner, 'POST', '', {
      url,
      types: [...eventNames],
      ordered,
    });
    secret = created.secret;
    await ask(owner, 'POST', `/${created.id}/redeliver`, { since: beginning });
    return `/${created.id}`;
  }

  return {
    name: `${ordered ? 'ordered ' : ''}webhook of ${owner.address}`,
    account: owner.address,
    once: false,
    inOrder: ordered,
    events,
    complaints,
    faults: {
      'kill a webhook receiver': async (ms) => {
        await stop();
        await delay(ms);
        // Another process's connection may hold the port for a moment.
        server = await eventually(() => start(port));
      },
      'refuse webhooks': (ms) => during(ms, async (response) => void response.writeHead(500).end()),
      'answer no webhook': (ms) =>
        during(ms, async (response) => {
          await delay(ms);
          response.destroy();
        }),
    },
    // After a second failure the next attempt is due in minutes.
    async askAgain() {
      const { deliveries } = await ask<Page>(owner, 'GET', `${path}/deliveries?status=waiting&limit=100`);
      for (const { id } of deliveries) await ask(owner, 'POST', `${path}/deliveries/${id}/redeliver`);
    },
    stop,
  };
}

async function ask<Body>({ rootUrl, apiKey }: Owner, method: string, path: string, body?: object): Promise<Body> {
  const response = await fetch(`${rootUrl}/api/v1/webhooks${path}`, {
    method,
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  });
  if (!response.ok) throw new Error(`${method} webhooks${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Body;
}
