import { createServer, type Server } from 'node:http';
import { closeServer, listen, portOf } from '@indelible/service-runtime';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Account, type Gateway, startGateway } from './gateway-harness.ts';

jest.setTimeout(60_000);

type Forwarded = {
  readonly method: string;
  readonly path: string;
  readonly query: Record<string, string>;
  readonly json: unknown;
};
type Answer = { readonly status: number; readonly body?: object };

/** Notifications as the gateway sees it, scripted. */
let notifications: Server;
const forwarded: Forwarded[] = [];
let answer: Answer = { status: 200, body: {} };
let gateway: Gateway;
let ada: Account;
beforeAll(async () => {
  notifications = await listen(
    createServer(async (request, response) => {
      let text = '';
      for await (const chunk of request) text += String(chunk);
      const url = new URL(request.url ?? '', 'http://x');
      const json = text === '' ? undefined : JSON.parse(text);
      forwarded.push({
        method: request.method ?? '',
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        json,
      });
      const { status, body } = answer;
      if (body === undefined) response.writeHead(status).end();
      else response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    }),
    '127.0.0.1',
    0,
  );
  gateway = await startGateway({ notificationsUrl: `http://127.0.0.1:${portOf(notifications)}` });
  ada = await gateway.openAccount();
}, 120_000);
afterAll(async () => {
  await gateway?.dispose();
  await closeServer(notifications, 0);
}, 60_000);

const id = '0198f2c4-7b1e-7c3a-9d52-6e0f8a1b2c3d';
const delivery = '6f1c2d3e-4a5b-5c6d-8e7f-90a1b2c3d4e5';
const at = '2026-11-21T04:10:05.123Z';
const webhook = {
  id,
  url: 'https://example.com/hook',
  types: ['stamp.confirmed'],
  collections: [],
  ordered: false,
  description: null,
  status: 'enabled',
  disabled_reason: null,
  disabled_at: null,
  failing_since: null,
  created_at: at,
  updated_at: at,
};
const withSecret = { ...webhook, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' };
const attempt = { at, http_status: 500, body: 'oops', error: null, duration_ms: 12 };
const shown = { id: delivery, type: 'stamp.confirmed', status: 'waiting', attempts: [attempt], next_attempt_at: at };
const redelivery = { since: at, until: null, types: null, requested_at: at };
const event = {
  ...{ specversion: '1.0', id, source: 'x', type: 'com.indelible.webhook.test.v1', subject: id, time: at },
  ...{
    dataschema: 'https://x/',
    sequence: '1',
    sequencetype: 'Integer',
    datacontenttype: 'application/json',
    data: {},
  },
};
const creation = { url: 'https://example.com/hook', types: ['stamp.confirmed'] };
const since = { since: '2026-11-21T04:10:07Z' };

const send = (who: Account | undefined, method: string, path: string, json?: unknown) =>
  gateway.send(who, path, {
    method,
    ...(json === undefined ? {} : { body: JSON.stringify(json), headers: { 'Content-Type': 'application/json' } }),
  });

const operations: readonly (readonly [string, string, unknown, Answer])[] = [
  ['POST', '/webhooks', creation, { status: 201, body: withSecret }],
  ['GET', '/webhooks', undefined, { status: 200, body: [webhook] }],
  ['GET', `/webhooks/${id}`, undefined, { status: 200, body: { ...webhook, redelivery } }],
  ['PATCH', `/webhooks/${id}`, { status: 'disabled', description: null }, { status: 200, body: webhook }],
  ['DELETE', `/webhooks/${id}`, undefined, { status: 204 }],
  ['POST', `/webhooks/${id}/rotate-secret`, undefined, { status: 200, body: withSecret }],
  ['POST', `/webhooks/${id}/test`, undefined, { status: 200, body: { delivered: false, event, attempt } }],
  ['GET', `/webhooks/${id}/deliveries`, undefined, { status: 200, body: { deliveries: [shown], next_cursor: '12' } }],
  ['POST', `/webhooks/${id}/deliveries/${delivery}/redeliver`, undefined, { status: 202, body: shown }],
  ['POST', `/webhooks/${id}/redeliver`, since, { status: 202, body: redelivery }],
];

describe('operations on webhooks', () => {
  it.each(operations)(
    '%s %s is forwarded to notifications with the account, and the response is returned',
    async (...of) => {
      const [method, path, json, expected] = of;
      answer = expected;
      const { status, body } = await send(ada, method, path, json);
      expect([status, body]).toEqual([expected.status, expected.body]);
      expect(forwarded.at(-1)).toEqual({ method, path: `/internal${path}`, query: { account: ada.account }, json });
    },
  );

  it.each(operations)('%s %s needs a key, and the scopes read and, if it changes something, stamp', async (...of) => {
    const [method, path, json, expected] = of;
    answer = expected;
    expect((await send(undefined, method, path, json)).status).toBe(401);
    const lacking = async (scopes: readonly ('read' | 'stamp')[]) => {
      const { apiKey } = await gateway.accounts.createKey({ account: ada.account, name: 'narrow', scopes });
      const { status, body } = await send({ ...ada, apiKey }, method, path, json);
      return status === 403 ? /scope (\w+)$/.exec(body.details ?? '')?.[1] : status;
    };
    expect(await lacking(['stamp'])).toBe('read');
    expect(await lacking(['read'])).toBe(method === 'GET' ? expected.status : 'stamp');
  });

  it.each<[string, string, unknown, string]>([
    ['POST', '/webhooks', { types: ['stamp.confirmed'] }, 'url'],
    ['POST', '/webhooks', { ...creation, url: 7 }, 'url'],
    ['POST', '/webhooks', { ...creation, url: 'https://example.com/ä' }, 'url'],
    ['POST', '/webhooks', { url: creation.url }, 'types'],
    ['POST', '/webhooks', { ...creation, types: [] }, 'types'],
    ['POST', '/webhooks', { ...creation, types: ['stamp.lost'] }, 'types/0'],
    ['POST', '/webhooks', { ...creation, collections: ['0x12'] }, 'collections/0'],
    ['POST', '/webhooks', { ...creation, ordered: 'yes' }, 'ordered'],
    ['POST', '/webhooks', { ...creation, secret: 'mine' }, 'secret'],
    ['PATCH', `/webhooks/${id}`, { status: 'on' }, 'status'],
    ['PATCH', `/webhooks/${id}`, {}, 'body'],
    ['GET', `/webhooks/${id}/deliveries?status=lost`, undefined, 'status'],
    ['GET', `/webhooks/${id}/deliveries?limit=101`, undefined, 'limit'],
    ['GET', `/webhooks/${id}/deliveries?cursor=x`, undefined, 'cursor'],
    ['POST', `/webhooks/${id}/redeliver`, {}, 'since'],
    ['POST', `/webhooks/${id}/redeliver`, { since: 'yesterday' }, 'since'],
  ])('%s %s with %j is a 400 that names %s', async (method, path, json, name) => {
    const before = forwarded.length;
    const { status, body } = await send(ada, method, path, json);
    expect(status).toBe(400);
    expect(`${body.error} ${body.details ?? ''}`).toContain(name);
    expect(forwarded).toHaveLength(before);
  });

  it('whose URL or other value notifications refuses are a 400 that names it', async () => {
    answer = { status: 400, body: { error: 'url: must lead to public addresses' } };
    expect(await send(ada, 'POST', '/webhooks', creation)).toMatchObject({ status: 400, body: answer.body });
  });

  it("are a 404 for another account's webhook, and a 409 where there are too many", async () => {
    answer = { status: 404, body: { error: 'webhook not found' } };
    expect(await send(ada, 'GET', `/webhooks/${id}`)).toMatchObject(answer);
    answer = { status: 409, body: { error: 'too many webhooks', details: 'an account has 20 at most' } };
    expect(await send(ada, 'POST', '/webhooks', creation)).toMatchObject(answer);
  });

  it('with an id that is none are a 404', async () => {
    expect(await send(ada, 'GET', '/webhooks/7')).toMatchObject({ status: 404, body: { error: 'webhook not found' } });
    const path = `/webhooks/${id}/deliveries/7/redeliver`;
    expect(await send(ada, 'POST', path)).toMatchObject({ status: 404, body: { error: 'delivery not found' } });
  });

  it('are a 503 with Retry-After while notifications is unavailable', async () => {
    answer = { status: 503, body: { error: 'not available now' } };
    const { status, headers } = await send(ada, 'GET', '/webhooks');
    expect([status, headers.get('Retry-After')]).toEqual([503, '1']);
  });
});
