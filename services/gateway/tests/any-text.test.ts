import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { cidOfContent, faultOfText } from '@indelible/identifiers';
import { closeServer, listen, portOf } from '@indelible/service-runtime';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { loadDocument } from '../src/api/edge/document.ts';
import { type Account, type AnyBody, chainId, formOf, type Gateway, startGateway } from './gateway-harness.ts';
import { answerWith, startMatchingStandIn } from './matching-stand-in.ts';
import { part, percent, type Sent, type TextPlace, textPlacesOf } from './text-places.ts';

// Whatever text comes in whatever field of whatever operation: an answer that is no 5xx, nothing of it behind the edge,
// and the next stamp is made (I11). The fields are those of the OpenAPI document.

const json = 'application/json';
const urlencoded = 'application/x-www-form-urlencoded';
const multipart = 'multipart/form-data; boundary=XX';

/** An empty log that was read to its end, and no webhooks. */
function answerAsNotifications(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  const isPage = request.url?.startsWith('/internal/events?') === true;
  response
    .writeHead(isPage ? 200 : 404, { 'Content-Type': json })
    .end(JSON.stringify(isPage ? { events: [], next: 7, more: true } : { error: 'webhook not found' }));
}

let gateway: Gateway;
let matching: Awaited<ReturnType<typeof startMatchingStandIn>>;
let notifications: Server;
let ada: Account;
beforeAll(async () => {
  matching = await startMatchingStandIn(chainId);
  matching.script(answerWith({ collections: [] }));
  notifications = await listen(createServer(answerAsNotifications), '127.0.0.1', 0);
  gateway = await startGateway({
    ...{ verificationUrl: matching.url, indexerUrl: matching.url },
    notificationsUrl: `http://127.0.0.1:${portOf(notifications)}`,
  });
  ada = await gateway.openAccount();
  const { stamping } = gateway;
  stamping.confirmAll();
  stamping.scriptCollections(async ({ requestId, account, name, description, isPinned, replyTo }) => {
    const registered = await stamping.registerCollection(account, name, { description, isPinned });
    await stamping.confirmCollection(account, registered.collectionId, registered.cid);
    await stamping.reply(replyTo, { requestId, kind: 'collection-created', account, ...registered });
  });
}, 120_000);
afterAll(async () => {
  await gateway.dispose();
  await matching.close();
  await closeServer(notifications, 0);
}, 60_000);

/** What no field of the document has: names, and what is known by its whole shape. */
const unnamed: readonly TextPlace[] = [
  ['the name of a parameter', (text: string): Sent => ({ method: 'GET', path: `/collections?${percent(text)}=1` })],
  [
    'the name of a field',
    (text: string): Sent => ({ method: 'POST', path: '/stamps', type: urlencoded, body: `${percent(text)}=x` }),
  ],
  [
    'a note in the context',
    (text: string): Sent => ({
      ...{ method: 'POST', path: '/collections/verify', type: json },
      body: JSON.stringify({ collection_name: 'none', objects: [], context: { note: text } }),
    }),
  ],
  ['a path', (text: string): Sent => ({ method: 'GET', path: `/${percent(text)}` })],
].map(([name, request]) => ({
  name: name as string,
  ...{ field: '', isFree: true, isJson: name === 'a note in the context' },
  request: request as (text: string) => Sent,
}));
const documented = textPlacesOf(loadDocument());
const places = [...documented, ...unnamed];
/** A 400 names the field, or its line in the body. Text that breaks a header is no HTTP. */
function naming({ name, field }: TextPlace): RegExp {
  const others = name.includes(' header ') ? '|malformed HTTP' : name.includes(' text/csv ') ? '|line|CSV|UTF-8' : '';
  return new RegExp(`${field}${others}`, 'i');
}

/** Byte for byte, since no client library would send it. */
function send({ method, path, type, body = '', headers = '' }: Sent): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(new URL(gateway.base).port), '127.0.0.1');
    socket.setTimeout(20_000, () => socket.destroy(new Error('the server hangs')));
    socket.on('data', (chunk) => {
      answer += chunk.toString('utf8');
    });
    socket.on('error', reject);
    socket.on('close', () =>
      resolve({ status: Number(answer.split(' ')[1]), text: answer.slice(answer.indexOf('\r\n\r\n')) }),
    );
    const lines = [
      `${method} /api/v1${path} HTTP/1.1`,
      'Host: x',
      'Connection: close',
      `Authorization: Bearer ${ada.apiKey}`,
      ...(type === undefined ? [] : [`Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`]),
    ];
    socket.write(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n${headers}\r\n`, 'latin1'), Buffer.from(body)]));
  });
}

const anyText = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.oneof(fc.nat(0x9f), fc.nat(0xffff)), { maxLength: 20 })
      .map((units) => String.fromCharCode(...units)),
  },
  { weight: 1, arbitrary: fc.nat(12_000).map((length) => 'x'.repeat(length)) },
);

describe('any text in any field of any operation', () => {
  it('is no 5xx and no hang; a control character or lone surrogate is a 400 that names the field (I11)', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const sent = places.filter(({ isJson }) => isJson || text.isWellFormed());
        const answers = await Promise.all(sent.map(({ request }) => send(request(text))));
        for (const [i, { status, text: answer }] of answers.entries()) {
          const place = sent[i] as TextPlace;
          expect([place.name, status >= 200 && status < 500]).toEqual([place.name, true]);
          if (status === 400 && !place.isFree)
            expect([place.name, answer]).toEqual([place.name, expect.stringMatching(naming(place))]);
        }
      }),
      { numRuns: 60, examples: [['a\u0000b'], ['\u0000'], ['\n'], ['a\u001bb'], ['\u0085'], ['\ud800'], ['a\udc00b']] },
    );
    const { commands, collectionCommands } = gateway.stamping;
    const published = [
      ...commands.flatMap(({ set, content }) => [set.kind === 'named' ? set.name : '', content?.fileName ?? '']),
      ...collectionCommands.flatMap(({ name, description }) => [name, (description ?? '').replace(/[\t\r\n]/g, '')]),
    ];
    expect(published.filter((text) => faultOfText(text) !== undefined)).toEqual([]);
    const next = await gateway.send(ada, '/stamps', { method: 'POST', body: formOf({ data: 'an ordinary stamp' }) });
    expect(next.status).toBe(201);
    expect(gateway.faults).toEqual([]);
  }, 300_000);
});

describe('a control character', () => {
  it.each(documented.filter(({ isFree }) => !isFree).map((place) => [place.name, place] as const))(
    'in %s is a 400 that names its field',
    async (name, place) => {
      const { status, text } = await send(place.request('a\u0000b'));
      if (/ndjson|jsonl/.test(name)) {
        const line = JSON.parse(/\{.*\}/.exec(text)?.[0] ?? '{}') as AnyBody;
        expect([status, line]).toEqual([
          200,
          expect.objectContaining({ status: 'failed', retryable: false, error: expect.stringMatching(naming(place)) }),
        ]);
        return;
      }
      expect([status, (JSON.parse(text) as AnyBody).error]).toEqual([400, expect.stringMatching(naming(place))]);
    },
  );

  it('other than tabs and line breaks is refused in a description, and those are kept', async () => {
    const create = (name: string, description: string) =>
      gateway.send<{ description?: string; error?: string }>(ada, '/collections', {
        method: 'POST',
        body: JSON.stringify({ name, description }),
        headers: { 'Content-Type': json },
      });
    expect((await create('lines', 'a\tb\r\nc')).body.description).toBe('a\tb\r\nc');
    const refused = await create('no lines', 'a\u000bb');
    expect([refused.status, refused.body.error]).toEqual([400, 'description: must not contain control characters']);
  });

  it('in a file_name that counts for nothing is ignored with it, however long', async () => {
    for (const name of ['a\u0000', 'x'.repeat(20_000)]) {
      const body = `file_name=${percent(name)}&data_cid=${cidOfContent('beside')}`;
      expect((await send({ method: 'POST', path: '/stamps', type: urlencoded, body })).status).toBeLessThan(202);
      const parts = `${part('file_name', name)}${part('file', 'y', '; filename="f"')}--XX--\r\n`;
      expect((await send({ method: 'POST', path: '/stamps', type: multipart, body: parts })).status).toBeLessThan(202);
    }
  });
});
