// Long, since JSON, CSV and files are shown to mean the same on one running gateway.
import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { checksumAddress, cidOfContent, zeroCid } from '@indelible/identifiers';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createCollectionVerification } from '../src/neighbours/verification.ts';
import {
  type Account,
  type AnyBody,
  chainId,
  formOf,
  type Gateway,
  type GatewayResponse,
  startGateway,
} from './gateway-harness.ts';
import { answerWith, type Matching, startMatchingStandIn } from './matching-stand-in.ts';

let gateway: Gateway;
let matching: Awaited<ReturnType<typeof startMatchingStandIn>>;
let ada: Account;
beforeAll(async () => {
  matching = await startMatchingStandIn(chainId);
  gateway = await startGateway({
    verificationUrl: matching.url,
    indexerUrl: matching.url,
    maxVerifyObjects: 1_000,
    maxVerifyBytes: 512 * 1024,
    stalledMs: 1_000,
  });
  ada = await gateway.openAccount();
}, 120_000);
afterAll(async () => {
  await gateway.dispose();
  await matching.close();
}, 60_000);
beforeEach(() => matching.script(answerWith({ collections: [] })));

const cid = cidOfContent('verified');
const time = '2023-11-14 22:13:20+00:00';
const object = { cid, timestamp: time };
const objectLine = [cid.slice(2), 1_700_000_000, time];
const owner = `0x${'5a'.repeat(20)}`;
const receipt = {
  transaction_hash: `0x${'ab'.repeat(32)}`,
  user_address: checksumAddress(owner),
  set_cid: zeroCid,
  object_cid: cid,
  timestamp: '2023-11-14T22:13:20+00:00',
  chain_id: chainId,
};
const json = 'application/json';
const csv = `collection_name,user_address,collection_timezone\nReports,${owner},UTC\nt,c,f\n${time},${cid},a.txt\n`;

const post = (
  body: NonNullable<RequestInit['body']>,
  type: string | undefined,
  more: { headers?: Record<string, string>; path?: string; who?: Account } = {},
): Promise<GatewayResponse<AnyBody & { collections?: unknown }>> =>
  gateway.send(more.who ?? ada, more.path ?? '/collections/verify', {
    method: 'POST',
    body,
    headers: { ...(type === undefined ? {} : { 'Content-Type': type }), ...more.headers },
  });
const messageOf = ({ body }: GatewayResponse<AnyBody>): string => `${body.error} ${body.details ?? ''}`;
const upload = (content: string, name: string): FormData => formOf({ file: new File([content], name) });

/** A request whose body the test sends piece by piece. */
function open(type = json): ClientRequest {
  const request = httpRequest(`${gateway.base}/collections/verify`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${ada.apiKey}`, 'Content-Type': type },
    agent: false,
  });
  request.on('error', () => {});
  return request;
}
const answerOf = async (request: ClientRequest): Promise<IncomingMessage> =>
  ((await once(request, 'response')) as [IncomingMessage])[0];

/** Passes the stand-in's next request to the test, which answers it. */
function nextMatching(): Promise<Matching> {
  return new Promise((resolve) => matching.script(async (come) => resolve(come)));
}

describe('POST /collections/verify', () => {
  const last = (name: string | null, of: string | null): unknown => ({
    end: true,
    name,
    folded: name?.toLowerCase() ?? null,
    owner: of,
    unmatchedReceipts: true,
    minBlock: { chainId, number: 7 },
  });
  const jsonForm = JSON.stringify({ objects: [object], user_address: owner, collection_name: ' Reports' });

  it.each<[string, () => [string | FormData, string | undefined]]>([
    ['application/json', () => [jsonForm, json]],
    ['application/json with a charset', () => [jsonForm, 'Application/JSON; charset="UTF-8"']],
    ['text/csv', () => [csv, 'text/csv']],
    ['text/csv with parameters', () => [csv, 'text/csv; header=present; charset=utf-8']],
    ['multipart with a .json file', () => [upload(jsonForm, 'a.JSON'), undefined]],
    ['multipart with a .csv file', () => [upload(csv, 'a.csv'), undefined]],
  ])('as %s comes to the same', async (_what, request) => {
    let heard: readonly unknown[] = [];
    const found = {
      name: 'Reports',
      cid: zeroCid,
      user_address: checksumAddress(owner),
      matched_receipts: [receipt],
      unmatched_objects: [{ cid, timestamp: time }],
      unmatched_receipts: [receipt],
    };
    matching.script(
      answerWith({ collections: [found] }, (lines) => {
        heard = lines;
      }),
    );
    expect(await post(...request())).toMatchObject({
      status: 200,
      body: { display_timezone: 'UTC', collections: [found] },
    });
    expect(heard).toEqual([objectLine, last('Reports', owner)]);
  });

  it('requests inference when nothing is named', async () => {
    let heard: readonly unknown[] = [];
    matching.script(
      answerWith({ collections: [] }, (lines) => {
        heard = lines;
      }),
    );
    expect((await post(JSON.stringify({ objects: [object, object] }), json)).status).toBe(200);
    expect(heard).toEqual([objectLine, objectLine, last(null, null)]);
  });

  it('names the newest collection of the account (I9), and whether unmatched receipts are requested', async () => {
    const cleo = await gateway.openAccount('Cleo');
    const lastLines: unknown[] = [];
    matching.script(answerWith({ collections: [] }, (lines) => lastLines.push(lines.at(-1))));
    await post(csv, 'text/csv', { who: cleo });
    const { cid: known } = await gateway.stamping.registerCollection(cleo.account, 'Known');
    await eventually(async () =>
      expect((await gateway.send(cleo, '/collections')).body).toMatchObject([{ name: 'Known' }]),
    );
    await post(csv, 'text/csv', { who: cleo, path: '/collections/verify?unmatched_receipts=FALSE' });
    await post(csv, 'text/csv', { who: cleo, path: '/collections/verify?unmatched_receipts=1' });
    expect(lastLines[0]).not.toHaveProperty('minCollection');
    expect(lastLines.slice(1)).toMatchObject([
      { minCollection: known, unmatchedReceipts: false },
      { minCollection: known, unmatchedReceipts: true },
    ]);
  });

  it.each(['', 'yes', 'true&unmatched_receipts=true'])('with unmatched_receipts=%s is a 400', async (value) => {
    const answer = await post(csv, 'text/csv', { path: `/collections/verify?unmatched_receipts=${value}` });
    expect([answer.status, messageOf(answer)]).toEqual([400, expect.stringContaining('unmatched_receipts')]);
  });

  it('answers JSON whatever Accept says, and with a slash at its end', async () => {
    const answer = await post(csv, 'text/csv', { headers: { Accept: 'text/html' }, path: '/collections/verify/' });
    expect(answer).toMatchObject({ status: 200, body: { collections: [] } });
    expect(answer.headers.get('Content-Type')).toContain(json);
  });

  it('needs the scope read, and no other', async () => {
    const keyOf = async (scope: 'read' | 'stamp'): Promise<Account> => ({
      account: ada.account,
      apiKey: (await gateway.accounts.createKey({ account: ada.account, name: scope, scopes: [scope] })).apiKey,
    });
    expect((await post(csv, 'text/csv', { who: await keyOf('read') })).status).toBe(200);
    expect((await post(csv, 'text/csv', { who: await keyOf('stamp') })).status).toBe(403);
  });

  it("names the block of the account's newest receipt (I9)", async () => {
    const bob = await gateway.openAccount('Bob');
    let block = 0;
    gateway.stamping.script(async (command) => {
      block = (await gateway.stamping.confirm(command)).blockNumber;
    });
    await gateway.send(bob, '/stamps', { method: 'POST', body: formOf({ data_cid: cid }) });
    let heard: readonly unknown[] = [];
    matching.script(
      answerWith({ collections: [] }, (lines) => {
        heard = lines;
      }),
    );
    await post(csv, 'text/csv', { who: bob });
    expect(heard.at(-1)).toMatchObject({ minBlock: { chainId, number: block } });
  });
});

describe('an invalid collection verify request', () => {
  it.each<[string, () => [string | FormData | Uint8Array, string | undefined], number, string]>([
    ['another content type', () => [csv, 'text/plain'], 415, 'text/csv'],
    ['urlencoded', () => ['objects=1', 'application/x-www-form-urlencoded'], 415, 'multipart/form-data'],
    ['no content type', () => [new Uint8Array(Buffer.from(csv)), undefined], 415, 'Content-Type'],
    ['another charset', () => [csv, 'text/csv; charset=latin1'], 400, 'Content-Type'],
    ['multipart without a boundary', () => [csv, 'multipart/form-data'], 400, 'boundary'],
    ['multipart that is none', () => [csv, 'multipart/form-data; boundary=x'], 400, 'multipart'],
    ['a file of another kind', () => [upload(csv, 'a.txt'), undefined], 400, 'file'],
    ['a file that is not what its name says', () => [upload(csv, 'a.json'), undefined], 400, 'not valid JSON'],
    [
      'an unknown form field',
      () => [formOf({ colour: 'red', file: new File([csv], 'a.csv') }), undefined],
      400,
      'colour',
    ],
    ['a form field for a file', () => [formOf({ file: csv }), undefined], 400, 'file'],
    ['an empty form', () => ['--x--\r\n', 'multipart/form-data; boundary=x'], 400, 'file'],
    [
      'a form cut off',
      () => [
        `--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n${csv}`,
        'multipart/form-data; boundary=x',
      ],
      400,
      'boundary',
    ],
    ['no body', () => ['', json], 400, 'not valid JSON'],
    ['an unknown key', () => [JSON.stringify({ objects: [object], colour: 1 }), json], 400, 'colour'],
    [
      'a bad timestamp',
      () => [JSON.stringify({ objects: [object, { cid, timestamp: 'x' }] }), json],
      400,
      'objects[1].timestamp',
    ],
    ['nothing to verify', () => [JSON.stringify({ objects: [] }), json], 400, 'objects'],
    ['a bad line', () => [`${csv}x\n`, 'text/csv'], 400, 'line 5'],
    ['too many objects', () => [`t,c\n${`${time},${cid}\n`.repeat(1_001)}`, 'text/csv'], 413, 'at most 1000'],
    ['too many bytes', () => [`${csv}${' '.repeat(512 * 1024)}`, 'text/csv'], 413, 'bytes'],
    ['30,000 levels', () => ['['.repeat(30_000), json], 400, 'body'],
  ])('with %s is refused, and nothing is answered from it', async (_what, request, status, name) => {
    const answer = await post(...(request() as [string, string | undefined]));
    expect(answer.status).toBe(status);
    expect(messageOf(answer)).toContain(name);
  });

  it('with two files is a 400', async () => {
    const form = upload(csv, 'a.csv');
    form.append('file', new File([csv], 'b.csv'));
    expect(messageOf(await post(form, undefined))).toContain('given twice');
  });

  it('with a compressed body is a 415', async () => {
    expect((await post(csv, 'text/csv', { headers: { 'Content-Encoding': 'gzip' } })).status).toBe(415);
  });

  it('with a query parameter is a 400', async () => {
    for (const [body, type] of [
      [csv, 'text/csv'],
      [JSON.stringify({ objects: [object] }), json],
    ] as const)
      expect(messageOf(await post(body, type, { path: '/collections/verify?colour=red' }))).toContain('colour');
  });

  it('is answered before its end, and what was begun behind it is given up', async () => {
    const begun = nextMatching();
    const request = open('text/csv');
    // A row is known to be whole when something follows it.
    request.write(`t,c\n${time},${cid}\n${time},${cid}\n`);
    const { closed } = await begun;
    request.write(`x,y\n${time},${cid}\n`);
    const answer = await answerOf(request);
    expect(answer.statusCode).toBe(400);
    expect(await closed).toBe(true);
    request.destroy();
  });

  it('is a 408 when its body stalls', async () => {
    const begun = nextMatching();
    const request = open('text/csv');
    // A row is known to be whole when something follows it.
    request.write(`t,c\n${time},${cid}\n${time},${cid}\n`);
    expect((await answerOf(request)).statusCode).toBe(408);
    expect(await (await begun).closed).toBe(true);
    request.destroy();
  });
});

describe('the two streams of a collection verify request', () => {
  it('both go on before they end: objects reach the matching, and its answer the client, as they come', async () => {
    const begun = nextMatching();
    const request = open();
    request.write(`{"objects":[${JSON.stringify(object)},`);
    const inner = await begun;
    await eventually(async () => expect(inner.text()).toBe(`${JSON.stringify(objectLine)}\n`));
    request.end(`${JSON.stringify(object)}]}`);
    expect(await inner.lines()).toHaveLength(3);

    inner.response.writeHead(200, { 'Content-Type': json });
    inner.response.write('{"collections":[');
    const answer = await answerOf(request);
    answer.setEncoding('utf8');
    const chunks: string[] = [];
    answer.on('data', (chunk: string) => chunks.push(chunk));
    await eventually(async () => expect(chunks.join('')).toBe('{"display_timezone":"UTC","collections":['));
    inner.response.end(']}');
    await once(answer, 'end');
    expect(JSON.parse(chunks.join(''))).toEqual({ display_timezone: 'UTC', collections: [] });
  });

  it('end together when the client disconnects, in its body or while it waits', async () => {
    for (const body of ['{"objects":[', JSON.stringify({ objects: [object] })]) {
      const begun = nextMatching();
      const request = open();
      if (body.endsWith('}')) request.end(body);
      else request.write(`${body}${JSON.stringify(object)}`);
      const inner = await begun;
      await eventually(async () => expect(inner.text()).toContain(cid.slice(2)));
      request.destroy();
      expect(await inner.closed).toBe(!body.endsWith('}'));
    }
  });

  it('end together when the client disconnects within the response', async () => {
    const begun = nextMatching();
    const request = open();
    request.end(JSON.stringify({ objects: [object] }));
    const inner = await begun;
    await inner.lines();
    inner.response.writeHead(200, { 'Content-Type': json }).write('{"collections":[');
    await answerOf(request);
    request.destroy();
    await inner.closed;
    expect(inner.response.writableFinished).toBe(false);
  });

  it('end together when the answer breaks off: the client is not left with a part for the whole', async () => {
    const begun = nextMatching();
    const request = open();
    request.end(JSON.stringify({ objects: [object] }));
    const inner = await begun;
    await inner.lines();
    inner.response.writeHead(200, { 'Content-Type': json }).write('{"collections":[');
    const answer = await answerOf(request);
    answer.resume().on('error', () => {});
    inner.response.destroy();
    await new Promise((resolve) => answer.once('close', resolve));
    expect(answer.complete).toBe(false);
  });

  it('wait for each other: a matching that does not read holds the objects back', async () => {
    const verify = createCollectionVerification({ url: matching.url, headers: {} });
    const stop = new AbortController();
    const batch = `${JSON.stringify(objectLine)}\n`.repeat(600);
    let batches = 0;
    async function* endless(): AsyncGenerator<string> {
      for (;;) {
        batches++;
        if (batches > 2_000) throw new Error('more than 100 MB were taken that nobody reads');
        yield batch;
      }
    }
    matching.script(async ({ request }) => void request.pause());
    const answer = verify(`0x${'11'.repeat(20)}`, endless(), stop.signal);
    const refused = expect(answer).rejects.toThrow('aborted');
    let before = -1;
    await eventually(async () => {
      const same = batches === before;
      before = batches;
      expect([same, batches > 0]).toEqual([true, true]);
    });
    stop.abort();
    await refused;
  });
});

describe('when the matching', () => {
  const postOne = (): Promise<GatewayResponse<AnyBody>> => post(JSON.stringify({ objects: [object] }), json);

  it('is behind or busy, it is a 503 with its Retry-After', async () => {
    matching.script(answerWith({ error: 'behind' }, undefined, 503, { 'Retry-After': '3' }));
    const answer = await postOne();
    expect(answer.status).toBe(503);
    expect(answer.headers.get('Retry-After')).toBe('3');
  });

  it('refuses before it has read all, its answer counts', async () => {
    matching.script(async ({ response }) => {
      response.writeHead(413, { 'Content-Type': json }).end('{"error":"too many receipts","details":"objects"}');
    });
    expect(await postOne()).toMatchObject({ status: 413, body: { error: 'too many receipts', details: 'objects' } });
  });

  it('closes the connection, or answers what is no answer, it is a 503', async () => {
    matching.script(async ({ response }) => {
      response.destroy();
    });
    expect((await postOne()).status).toBe(503);
    matching.script(answerWith({ error: 'broken' }, undefined, 500));
    expect((await postOne()).status).toBe(503);
  });

  it('is unavailable, it is a 503 with Retry-After', async () => {
    const away = await startGateway({ verificationUrl: 'http://127.0.0.1:1' });
    try {
      const who = await away.openAccount();
      const answer = await away.send(who, '/collections/verify', {
        method: 'POST',
        body: csv,
        headers: { 'Content-Type': 'text/csv' },
      });
      expect(answer.status).toBe(503);
      expect(answer.headers.get('Retry-After')).toBe('1');
    } finally {
      await away.dispose();
    }
  }, 60_000);

  it('refuses what the gateway sends as malformed, it is an internal error', async () => {
    matching.script(answerWith({ error: 'line 1' }, undefined, 400));
    expect((await postOne()).status).toBe(500);
  });
});
