import { checksumAddress, cidOfCollectionName, cidOfContent, type Hex, zeroCid } from '@indelible/identifiers';
import type { Receipt, RequestStamp } from '@indelible/messages';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Account, chainId, type Gateway, startGateway } from './gateway-harness.ts';
import { type BatchResult, linesOf, openBatch, postBatch } from './stamp-batch-client.ts';

let gateway: Gateway;
let ada: Account;
beforeAll(async () => {
  gateway = await startGateway();
  ada = await gateway.openAccount();
}, 120_000);
afterAll(() => gateway.dispose(), 60_000);

let commandsBefore = 0;
beforeEach(() => {
  commandsBefore = gateway.stamping.commands.length;
  gateway.stamping.confirmAll();
});
const newCommands = (): readonly RequestStamp[] => gateway.stamping.commands.slice(commandsBefore);
const post = (body: string | Buffer, settings = {}) => postBatch(gateway, ada, body, settings);

let contents = 0;
const freshCid = (): Hex => cidOfContent(`batched content ${contents++}`);
const freshLines = (count: number): { data_cid: Hex }[] =>
  Array.from({ length: count }, () => ({ data_cid: freshCid() }));
const receiptsOf = (results: readonly BatchResult[]) => results.map(({ commitment_receipt }) => commitment_receipt);

describe('a batch', () => {
  it('is answered a receipt a line, in the order of its lines (I1)', async () => {
    const lines = freshLines(1_200).map((line, i) => ({ ...line, client_ref: `ref "${i}" é` }));
    const { status, results } = await post(linesOf(lines));
    expect(status).toBe(200);
    expect(results).toEqual(
      lines.map(({ data_cid, client_ref }, i) => ({
        line: i + 1,
        client_ref,
        status: 'created',
        commitment_receipt: {
          transaction_hash: `0x${'ab'.repeat(32)}`,
          user_address: checksumAddress(ada.account),
          set_cid: zeroCid,
          object_cid: data_cid,
          timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/),
          chain_id: chainId,
        },
      })),
    );
  });

  it('passes on the reference of each line, but not an empty one', async () => {
    const references = ['row 1 "é"', undefined, '', '😀'.repeat(200)];
    const lines = freshLines(4).map((line, i) => ({ ...line, client_ref: references[i] }));
    const { results } = await post(linesOf(lines));
    expect(results.map(({ client_ref }) => client_ref)).toEqual(references);
    const passed = new Map(newCommands().map(({ objectCid, clientRef }) => [objectCid, clientRef]));
    expect(lines.map(({ data_cid }) => passed.get(data_cid))).toEqual([references[0], null, null, references[3]]);
  });

  it('requests idempotent stamps without content, in the window of its query', async () => {
    const [line] = freshLines(1);
    const { results } = await post(linesOf([line as object]), {
      query: '?idempotency_window=60',
      contentType: 'application/jsonl',
    });
    expect(results).toHaveLength(1);
    expect(newCommands()).toMatchObject([
      {
        account: ada.account,
        set: { kind: 'none' },
        idempotency: { windowSeconds: 60 },
        content: null,
        ...cidOnly(line),
      },
    ]);
    await post(linesOf(freshLines(1)));
    expect(newCommands()[1]).toMatchObject({ idempotency: { windowSeconds: 3_600 } });
  });

  it('sent again is answered by the earlier receipts, and a line twice in it joins (I2)', async () => {
    const made = new Map<Hex, { readonly first: RequestStamp; receipt?: Receipt }>();
    const { stamping } = gateway;
    // Decides like stamping: by identity, in the order of commands.
    stamping.script(async (command) => {
      const earlier = made.get(command.objectCid);
      if (earlier?.receipt !== undefined) await stamping.repeat(command, earlier.first.requestId, earlier.receipt);
      else if (earlier !== undefined) {
        await stamping.join(command, earlier.first.requestId);
        earlier.receipt = await stamping.confirm(earlier.first);
        await stamping.repeat(command, earlier.first.requestId, earlier.receipt);
      } else {
        const entry: { first: RequestStamp; receipt?: Receipt } = { first: command };
        made.set(command.objectCid, entry);
        await stamping.accept(command);
        if (command.objectCid !== twice.data_cid) entry.receipt = await stamping.confirm(command);
      }
    });
    const lines = freshLines(3);
    const twice = lines[1] as { data_cid: Hex };
    const batch = linesOf([...lines, twice]);
    const first = await post(batch);
    expect(first.results.map(({ status }) => status)).toEqual(['created', 'created', 'created', 'repeated']);
    expect(first.results[3]?.commitment_receipt).toEqual(first.results[1]?.commitment_receipt);
    const again = await post(batch);
    expect(again.results.map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => 'repeated'));
    expect(receiptsOf(again.results)).toEqual(receiptsOf(first.results));
  });

  it('is answered line by line while it still comes', async () => {
    const batch = openBatch(gateway, ada);
    const results = batch.results();
    for (const n of [1, 2, 3]) {
      batch.send(freshLines(1));
      expect((await results.next()).value).toMatchObject({ line: n, status: 'created' });
    }
    batch.end();
    expect((await results.next()).done).toBe(true);
  });

  it('stamps into collections by name and by CID; one that a line creates is there when the line is answered (I9)', async () => {
    const { stamping } = gateway;
    const known = await stamping.registerCollection(ada.account, 'Known');
    const unborn = await stamping.registerCollection(ada.account, 'Registered only');
    await stamping.confirmCollection(ada.account, known.collectionId, known.cid);
    await eventually(async () => {
      const { body } = await gateway.send<object[]>(ada, '/collections');
      expect(body).toHaveLength(2);
      expect((await post(linesOf([{ ...freshLines(1)[0], collection_cid: known.cid }]))).results[0]?.status).toBe(
        'created',
      );
    });
    stamping.script(async (command) => {
      await stamping.accept(command);
      if (command.set.kind === 'named' && command.set.name === 'New') {
        const { collectionId, cid } = await stamping.registerCollection(ada.account, 'New');
        await stamping.confirmCollection(ada.account, collectionId, cid);
        await stamping.confirm(command, { collectionCreated: true });
      } else await stamping.confirm(command);
    });
    const [a, b, c, d, e] = freshLines(5);
    const { results } = await post(
      linesOf([
        { ...a, collection_name: 'kNOWN' },
        { ...b, collection_cid: known.cid },
        { ...c, collection_name: 'New' },
        { ...d, collection_cid: freshCid() },
        { ...e, collection_cid: unborn.cid },
      ]),
    );
    expect(results).toMatchObject([
      { status: 'created', commitment_receipt: { set_cid: known.cid } },
      { status: 'created', commitment_receipt: { set_cid: known.cid } },
      { status: 'created', commitment_receipt: { set_cid: cidOfCollectionName('New') } },
      {
        status: 'failed',
        error: expect.stringContaining('Collection CID is not registered in your Indelible account: 0x'),
        details: expect.stringContaining('collection_cid'),
        retryable: false,
      },
      {
        status: 'failed',
        error: `Collection CID has not been created by the current user: ${unborn.cid}. Please create a collection first.`,
        retryable: false,
      },
    ]);
    const { body } = await gateway.send<{ name: string }[]>(ada, '/collections');
    expect(body.map(({ name }) => name)).toContain('New');
  });

  it('knows a collection as soon as its 201 was given, also when a line before was refused for it (I9)', async () => {
    const { stamping } = gateway;
    const cid = freshCid();
    stamping.scriptCollections(async ({ requestId, account, name, description, isPinned, replyTo }) => {
      const registered = await stamping.registerCollection(account, name, { description, isPinned, cid });
      await stamping.confirmCollection(account, registered.collectionId, cid);
      await stamping.reply(replyTo, { requestId, kind: 'collection-created', account, ...registered });
    });
    const batch = openBatch(gateway, ada);
    const results = batch.results();
    const line = () => [{ ...freshLines(1)[0], collection_cid: cid }];
    batch.send(line());
    expect((await results.next()).value).toMatchObject({ line: 1, status: 'failed', retryable: false });
    const created = await gateway.send(ada, '/collections', {
      method: 'POST',
      body: JSON.stringify({ name: 'Meanwhile', cid }),
      headers: { 'Content-Type': 'application/json' },
    });
    expect(created.status).toBe(201);
    batch.send(line());
    expect((await results.next()).value).toMatchObject({
      line: 2,
      status: 'created',
      commitment_receipt: { set_cid: cid },
    });
    batch.end();
    expect((await results.next()).done).toBe(true);
  });

  it('continues after invalid lines, each named by its line and its field', async () => {
    const [a, b] = freshLines(2);
    const body = Buffer.concat([
      Buffer.from(`${JSON.stringify(a)}\n\nnothing\n{"data_cid":"0x12","client_ref":"row 4"}\n`),
      Buffer.from([0x22, 0xff, 0x22, 0x0a]),
      Buffer.from(`{"data_cid":"${'x'.repeat(5_000)}"}\n{"data_cid":"${freshCid()}","colour":1}\r\n`),
      Buffer.from(`{"data_cid":"${freshCid()}","data_cid":"${freshCid()}"}\n${JSON.stringify(b)}`),
    ]);
    const { status, results } = await post(body);
    expect(status).toBe(200);
    const failed = { status: 'failed', retryable: false };
    expect(results).toEqual([
      expect.objectContaining({ line: 1, status: 'created' }),
      { ...failed, line: 3, error: 'the line is not valid JSON' },
      { ...failed, line: 4, error: 'data_cid: must be a CID: 0x and 64 hex digits', client_ref: 'row 4' },
      { ...failed, line: 5, error: 'the line is not valid UTF-8' },
      { ...failed, line: 6, error: 'the line is longer than 4096 bytes' },
      { ...failed, line: 7, error: 'colour: unknown key' },
      { ...failed, line: 8, error: 'data_cid: given twice' },
      expect.objectContaining({ line: 9, status: 'created' }),
    ]);
    expect(newCommands()).toHaveLength(2);
  });

  it('reports what stamping refuses by line, and whether it may be tried again', async () => {
    const codes = ['too-busy', 'stamp-failed'];
    const lines = freshLines(3);
    gateway.stamping.script(async (command) => {
      const code = codes[lines.findIndex(({ data_cid }) => data_cid === command.objectCid) - 1];
      if (code === undefined) await gateway.stamping.confirm(command);
      else await gateway.stamping.refuse(command, { code, message: `it is ${code}` });
    });
    expect((await post(linesOf(lines))).results).toMatchObject([
      { status: 'created' },
      { status: 'failed', error: 'it is too-busy', retryable: true },
      { status: 'failed', error: 'it is stamp-failed', retryable: false },
    ]);
  });
});

describe('before its first result a batch', () => {
  const line = (): string => linesOf(freshLines(1));
  it.each<[string, number, string, () => Promise<{ status: number; error: { error?: string; details?: string } }>]>([
    ['without a key', 401, 'unauthorized', () => postBatch(gateway, undefined, line())],
    ['of another type', 415, 'x-ndjson', () => post(line(), { contentType: 'application/json' })],
    [
      'in another charset',
      400,
      'Content-Type',
      () => post(line(), { contentType: 'application/x-ndjson; charset=latin1' }),
    ],
    ['that is compressed', 415, 'Content-Encoding', () => post(line(), { headers: { 'Content-Encoding': 'gzip' } })],
    ['with an unknown parameter', 400, 'colour', () => post(line(), { query: '?colour=red' })],
    ['with a window that is none', 400, 'idempotency_window', () => post(line(), { query: '?idempotency_window=1.5' })],
    [
      'with a window twice',
      400,
      'idempotency_window',
      () => post(line(), { query: '?idempotency_window=1&idempotency_window=1' }),
    ],
    ['without a line', 400, 'body', () => post('\r\n\n')],
    ['without a byte', 400, 'body', () => post('')],
  ])('%s is a %i that names it', async (_case, status, name, send) => {
    const answer = await send();
    expect(answer.status).toBe(status);
    expect(`${answer.error.error} ${answer.error.details}`).toContain(name);
    expect(newCommands()).toEqual([]);
  });

  it('whose key may not stamp is a 403', async () => {
    const { apiKey } = await gateway.accounts.createKey({ account: ada.account, name: 'reader', scopes: ['read'] });
    expect((await postBatch(gateway, { ...ada, apiKey }, line())).status).toBe(403);
  });

  it('that announces more than it may have is a 413 before it is sent', async () => {
    const batch = openBatch(gateway, ada, { 'Content-Length': String(2 ** 40), Expect: '100-continue' });
    const { statusCode } = await batch.response;
    expect(statusCode).toBe(413);
    batch.leave();
  });

  it('is a POST', async () => {
    const answer = await gateway.send(ada, '/stamps/batch');
    expect([answer.status, answer.headers.get('Allow')]).toEqual([405, 'POST']);
  });
});

const cidOnly = (line: { readonly data_cid: Hex } | undefined) => ({ objectCid: line?.data_cid });
