import { connect } from 'node:net';
import { cidOfContent, faultOfText } from '@indelible/identifiers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Account, type AnyBody, chainId, formOf, type Gateway, startGateway } from './gateway-harness.ts';
import { answerWith, startMatchingStandIn } from './matching-stand-in.ts';

// Whatever text comes in whatever field of whatever operation: an answer that is no 5xx, nothing of it behind the edge,
// and the next stamp is made (I11).

let gateway: Gateway;
let matching: Awaited<ReturnType<typeof startMatchingStandIn>>;
let ada: Account;
beforeAll(async () => {
  matching = await startMatchingStandIn(chainId);
  matching.script(answerWith({ collections: [] }));
  gateway = await startGateway({ verificationUrl: matching.url, indexerUrl: matching.url });
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
}, 60_000);

const cid = cidOfContent('any text');
const time = '2026-01-01T00:00:00Z';
const json = 'application/json';
const urlencoded = 'application/x-www-form-urlencoded';
const multipart = 'multipart/form-data; boundary=XX';

const percent = (text: string): string =>
  Buffer.from(text)
    .toString('latin1')
    .replace(/[^A-Za-z0-9]/g, (one) => `%${one.charCodeAt(0).toString(16).padStart(2, '0')}`);
const part = (name: string, value: string, more = ''): string =>
  `--XX\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
const quoted = (text: string): string => text.replace(/\\/g, '\\\\').replace(/"/g, '\\"');

type Sent = {
  readonly method?: string;
  readonly path: string;
  readonly type?: string;
  readonly body?: string;
  readonly headers?: string;
  /** What it is called in a 400; undefined where any text will do. */
  readonly named?: RegExp;
};

/** Each field of each operation that takes text, with this text in it. */
const requestsWith = (text: string): Sent[] => {
  const inJson = (path: string, value: object, named: RegExp): Sent => ({
    path,
    type: json,
    body: JSON.stringify(value),
    named,
  });
  const inForms = (path: string, field: string, others: Readonly<Record<string, string>>): Sent[] => [
    {
      path,
      type: urlencoded,
      body: [[field, text], ...Object.entries(others)]
        .map(([name = '', value = '']) => `${name}=${percent(value)}`)
        .join('&'),
      named: new RegExp(field),
    },
    {
      path,
      type: multipart,
      body: `${part(field, text)}${Object.entries(others)
        .map(([name, value]) => part(name, value))
        .join('')}--XX--\r\n`,
      named: new RegExp(field),
    },
  ];
  const upload = '/stamps/upload-stamped-file';
  return [
    inJson('/collections', { name: text }, /name|body/),
    inJson('/collections', { name: `n${cidOfContent(text)}`, description: text }, /description/),
    inJson('/collections', { name: 'c', cid: text }, /cid/),
    inJson('/stamps/verify', { cids: [text] }, /cids/),
    inJson('/collections/verify', { collection_name: text, objects: [] }, /collection_name|objects/),
    inJson('/collections/verify', { user_address: text, objects: [{ cid, timestamp: time }] }, /user_address/),
    inJson('/collections/verify', { file_name: text, objects: [{ cid, timestamp: time }] }, /file_name/),
    inJson('/collections/verify', { objects: [{ cid, timestamp: time, file_name: text }] }, /file_name/),
    inJson('/collections/verify', { objects: [{ cid, timestamp: text }] }, /timestamp/),
    inJson('/collections/verify', { objects: [{ cid: text, timestamp: time }] }, /cid/),
    {
      path: '/collections/verify',
      type: 'text/csv',
      body: `t,c,f\n${time},${cid},"${text.replaceAll('"', '""')}"\n`,
      named: /line 2|CSV|UTF-8/,
    },
    {
      path: '/collections/verify',
      type: 'text/csv',
      body: `collection_name,user_address\n"${text.replaceAll('"', '""')}",\nt,c\n${time},${cid}\n`,
      named: /collection_name|line|CSV|UTF-8/,
    },
    {
      path: `/stamps/batch?idempotency_window=${percent(text)}`,
      type: 'application/x-ndjson',
      body: `{"data_cid":"${cid}"}\n`,
      named: /idempotency_window/,
    },
    { method: 'GET', path: `/collections?user_address=${percent(text)}`, named: /user_address/ },
    { method: 'GET', path: `/collections?is_pinned=${percent(text)}`, named: /is_pinned/ },
    { method: 'GET', path: `/collections?cursor=${percent(text)}`, named: /cursor/ },
    { method: 'GET', path: `/collections?limit=${percent(text)}`, named: /limit/ },
    { method: 'GET', path: `/collections?${percent(text)}=1`, named: /./ },
    { method: 'GET', path: `/events?types=${percent(text)}`, named: /types/ },
    { method: 'GET', path: `/events?collections=${percent(text)}`, named: /collections/ },
    { method: 'GET', path: `/events?since=${percent(text)}`, named: /since/ },
    { method: 'GET', path: `/events?limit=${percent(text)}`, named: /limit/ },
    {
      method: 'GET',
      path: '/events?types=none',
      headers: `Last-Event-ID: ${Buffer.from(text).toString('latin1')}\r\n`,
    },
    { method: 'GET', path: `/users/${percent(text)}` },
    { method: 'GET', path: `/stamps/${percent(text)}` },
    {
      path: '/stamps',
      type: urlencoded,
      body: `data_cid=${cid}`,
      headers: `Idempotency-Key: ${Buffer.from(text).toString('latin1')}\r\n`,
    },
    ...inForms('/stamps', 'collection_name', { data_cid: cid }),
    ...inForms('/stamps', 'file_name', { data: 'any text', store_stamped_file: '0' }),
    ...inForms('/stamps', 'data_cid', {}),
    ...inForms('/stamps', 'collection_cid', { data_cid: cid }),
    ...inForms('/stamps', 'idempotent', { data_cid: cid }),
    ...inForms('/stamps', 'idempotency_window', { data_cid: cid }),
    ...inForms(upload, 'collection_name', { data: 'x', file_name: 'n' }),
    ...inForms(upload, 'collection_cid', { data: 'x', file_name: 'n' }),
    ...inForms(upload, 'file_name', { data: 'x', collection_name: 'none' }),
    {
      path: '/stamps',
      type: multipart,
      body: `${part('file', 'x', `; filename="${quoted(text)}"`)}--XX--\r\n`,
      named: /file|multipart/,
    },
    { path: '/stamps', type: urlencoded, body: `${percent(text)}=x` },
    { path: '/stamps', type: urlencoded, body: `data=${percent(text)}&store_stamped_file=0` },
  ];
};

/** Byte for byte, since no client library would send it. */
function send({
  method = 'POST',
  path,
  type,
  body = '',
  headers = '',
}: Sent): Promise<{ status: number; text: string }> {
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

/** JSON says lone surrogates by escapes; nothing else can. */
const sayable = (text: string, type: string | undefined): boolean => type === json || text.isWellFormed();

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
        const sent = requestsWith(text).filter(({ type }) => sayable(text, type));
        const answers = await Promise.all(sent.map(send));
        for (const [i, { status, text: answer }] of answers.entries()) {
          const { path, type, named, body } = sent[i] as Sent;
          expect([path, type, body, status >= 200 && status < 500]).toEqual([path, type, body, true]);
          if (status === 400 && named !== undefined)
            expect([path, type, answer]).toEqual([path, type, expect.stringMatching(named)]);
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
    const next = await gateway.ask(ada, '/stamps', { method: 'POST', body: formOf({ data: 'an ordinary stamp' }) });
    expect(next.status).toBe(201);
    expect(gateway.faults).toEqual([]);
  }, 120_000);
});

describe('a control character', () => {
  const bad = requestsWith('a\u0000b').filter(
    ({ named, path, type }) => named !== undefined && type !== undefined && !path.startsWith('/users'),
  );
  it.each(bad.map((sent) => [sent.path, sent.type ?? '', sent.body ?? '', sent] as const))(
    'in %s (%s: %j) is a 400 that names its field',
    async (_path, _type, _body, sent) => {
      const { status, text } = await send(sent);
      expect([status, (JSON.parse(text) as AnyBody).error]).toEqual([400, expect.stringMatching(sent.named as RegExp)]);
    },
  );

  it('other than tabs and line breaks is refused in a description, and those are kept', async () => {
    const create = (name: string, description: string) =>
      gateway.ask<{ description?: string; error?: string }>(ada, '/collections', {
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
      expect((await send({ path: '/stamps', type: urlencoded, body })).status).toBeLessThan(202);
      const parts = `${part('file_name', name)}${part('file', 'y', '; filename="f"')}--XX--\r\n`;
      expect((await send({ path: '/stamps', type: multipart, body: parts })).status).toBeLessThan(202);
    }
  });
});
