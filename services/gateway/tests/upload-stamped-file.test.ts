import { readdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { BlobStore } from '@indelible/blob-store';
import { cidOfCollectionName, cidOfContent, type Hex, newId, zeroCid } from '@indelible/identifiers';
import type { Receipt, StoreUploadedContent } from '@indelible/messages';
import { closeServer, listen, PermanentError, portOf } from '@indelible/service-runtime';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Call } from '../src/api/edge/call.ts';
import { parseContentType } from '../src/api/edge/content-type.ts';
import { loadDocument } from '../src/api/edge/document.ts';
import { uploadStampedFileRoute } from '../src/api/routes/upload-stamped-file.ts';
import { createContentReceiver } from '../src/use-cases/stamping/content.ts';
import { type Account, chainId, formOf, type Gateway, startGateway } from './gateway-harness.ts';

const path = '/stamps/upload-stamped-file';
const content = 'meow';
const objectCid = cidOfContent(Buffer.from(content));
const photos = cidOfCollectionName('Photos');
const file = { fileName: 'cat_2026-11-21_03-04-05+0000.jpg', filePath: 'p/cat_2026-11-21_03-04-05+0000.jpg' };

let gateway: Gateway;
let hasty: Gateway;
let storage: Server;
/** Responses of storage's own API. */
let states: Map<string, object>;
let ada: Account;
beforeAll(async () => {
  states = new Map();
  storage = await listen(
    createServer((request, response) => {
      const state = states.get(request.url?.split('/').at(-1) ?? '');
      response
        .writeHead(state === undefined ? 404 : 200, { 'Content-Type': 'application/json' })
        .end(JSON.stringify(state ?? { error: 'no such upload' }));
    }),
    '127.0.0.1',
    0,
  );
  const storageUrl = `http://127.0.0.1:${portOf(storage)}`;
  [gateway, hasty] = await Promise.all([startGateway({ storageUrl }), startGateway({ storageUrl, waitLimitMs: 300 })]);
  ada = await gateway.openAccount();
  await gateway.stamping.registerCollection(ada.account, 'Photos');
  await gateway.stamping.registerCollection(ada.account, 'Other');
  await eventually(async () => expect((await gateway.send(ada, '/collections')).body).toHaveLength(2));
}, 120_000);
afterAll(async () => {
  await Promise.all([gateway.dispose(), hasty.dispose()]);
  await closeServer(storage);
}, 60_000);

const receiptOf = (account: Hex, blockNumber: number, setCid: Hex = photos): Receipt => ({
  transactionHash: `0x${blockNumber.toString(16).padStart(64, '0')}`,
  logIndex: 0,
  blockNumber,
  blockHash: `0x${'bb'.repeat(32)}`,
  blockTime: 1_795_230_245 + blockNumber,
  chainId,
  account,
  setCid,
  objectCid,
});
const stampId = newId();
const locationOf = (answer: { headers: Headers }) => answer.headers.get('location');
/** Storage's responses when all goes well. */
const answering =
  (outcome: 'created' | 'existing', of: Gateway = gateway) =>
  ({ requestId, replyTo, receipts: [receipt] }: StoreUploadedContent): Promise<void> =>
    of.stamping.reply(replyTo, { requestId, kind: 'uploaded', outcome, receipt: receipt as Receipt, ...file, stampId });
beforeEach(() => {
  gateway.neighbours.answerLookups(200, { receipts: [receiptOf(ada.account, 7)] });
  gateway.stamping.scriptUploads(answering('created'));
});

const cat = (bytes = content, name = 'cat.jpg'): File => new File([bytes], name);
const send = (fields: Record<string, string | Blob>, who = ada, to = gateway) =>
  to.send<{ error?: string; details?: string; commitment_receipt?: object; file_object?: object }>(who, path, {
    method: 'POST',
    body: formOf(fields),
  });
const staged = async (of = gateway): Promise<string[]> =>
  (await readdir(of.directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);
const last = () => gateway.stamping.uploadCommands.at(-1);

describe('POST /stamps/upload-stamped-file', () => {
  it('has storage keep the content for the commitments of this set alone, and answers 201 with the earliest', async () => {
    const [first, second] = [receiptOf(ada.account, 7), receiptOf(ada.account, 9)];
    const elsewhere = [receiptOf(ada.account, 3, zeroCid), receiptOf(ada.account, 4, cidOfCollectionName('Other'))];
    gateway.neighbours.answerLookups(200, { receipts: [...elsewhere, second, first] });
    const answer = await send({ collection_name: ' photos ', file: cat() });
    expect(answer.status).toBe(201);
    expect(locationOf(answer)).toMatch(new RegExp(`/api/v1/stamps/${stampId}$`));
    expect(answer.body).toEqual({
      commitment_receipt: expect.objectContaining({ transaction_hash: first.transactionHash, set_cid: photos }),
      file_object: { file_name: file.fileName, file_path: file.filePath },
    });
    expect(last()).toMatchObject({
      account: ada.account,
      setCid: photos,
      objectCid,
      collectionName: 'Photos',
      receipts: [first, second],
      content: { objectCid, size: 4, fileName: 'cat.jpg' },
    });
    expect(gateway.neighbours.lookups.at(-1)).toEqual({
      cids: [objectCid],
      owner: ada.account,
      setCid: photos,
      minBlock: { chainId, number: 7 },
      limit: 500,
    });
    expect(await staged()).toContain(last()?.content.stagedId);
  });

  it('answers 200 when a commitment has a file already', async () => {
    gateway.stamping.scriptUploads(answering('existing'));
    const answer = await send({
      collection_cid: photos.toUpperCase().replace('0X', '0x'),
      file: cat(content, 'b.png'),
    });
    expect(answer).toMatchObject({ status: 200, body: { file_object: { file_name: file.fileName } } });
    expect(locationOf(answer)).toMatch(new RegExp(`/api/v1/stamps/${stampId}$`));
  });

  it('names no status resource when storage does not know the stamp yet', async () => {
    gateway.stamping.scriptUploads(({ requestId, replyTo, receipts: [receipt] }) =>
      gateway.stamping.reply(replyTo, {
        ...{ requestId, kind: 'uploaded', outcome: 'created', receipt: receipt as Receipt, ...file },
      }),
    );
    const answer = await send({ collection_name: 'Photos', file: cat() });
    expect([answer.status, locationOf(answer)]).toEqual([201, null]);
  });

  it('takes data with its name, urlencoded too, as its exact bytes', async () => {
    const body = new URLSearchParams({ collection_name: 'Photos', data: content, file_name: 'note.txt' });
    expect((await gateway.send(ada, path, { method: 'POST', body })).status).toBe(201);
    expect(last()?.content).toMatchObject({ objectCid, fileName: 'note.txt' });
    expect((await send({ collection_name: 'Photos', data: content, file_name: 'note.md' })).status).toBe(201);
    expect(last()?.content).toMatchObject({ objectCid, fileName: 'note.md' });
  });

  it('queries storage when the reply was lost', async () => {
    gateway.stamping.scriptUploads(async ({ requestId, receipts }) => {
      states.set(requestId, { state: 'stored', outcome: 'existing', receipt: receipts[0], ...file, stampId });
    });
    const answer = await send({ collection_name: 'Photos', file: cat() });
    expect(answer).toMatchObject({ status: 200, body: { file_object: { file_path: file.filePath } } });
    expect(locationOf(answer)).toMatch(new RegExp(`/api/v1/stamps/${stampId}$`));
  }, 20_000);

  it('answers 500 when the content could not be stored', async () => {
    gateway.stamping.scriptUploads(({ requestId, replyTo }) =>
      gateway.stamping.reply(replyTo, {
        requestId,
        kind: 'refused',
        refusal: { code: 'upload-failed', message: 'the content could not be stored' },
      }),
    );
    expect(await send({ collection_name: 'Photos', file: cat() })).toMatchObject({
      status: 500,
      body: { error: 'the content could not be stored' },
    });
  });
});

describe('an upload that is refused keeps nothing staged and publishes nothing (I7):', () => {
  const expectRefused = async (
    fields: Record<string, string | Blob>,
    expected: { status: number; body: object },
  ): Promise<void> => {
    const [before, commands] = [await staged(), gateway.stamping.uploadCommands.length];
    expect(await send(fields)).toMatchObject(expected);
    expect(await staged()).toEqual(before);
    expect(gateway.stamping.uploadCommands).toHaveLength(commands);
  };
  const naming = (field: string) => ({
    status: 400,
    body: { error: expect.stringMatching(new RegExp(`^${field}: `)) },
  });

  it.each([
    ['no collection', { file: cat() }, 'collection_name, collection_cid'],
    ['an empty collection name', { file: cat(), collection_name: '' }, 'collection_name'],
    ['a malformed collection CID', { file: cat(), collection_cid: '0x1' }, 'collection_cid'],
    ['the zero CID', { file: cat(), collection_cid: zeroCid }, 'collection_cid'],
    [
      'a CID that is not the named collection’s',
      { file: cat(), collection_name: 'Other', collection_cid: photos },
      'collection_cid',
    ],
    ['neither file nor data', { collection_name: 'Photos' }, 'file, data'],
    ['both file and data', { collection_name: 'Photos', file: cat(), data: 'x', file_name: 'x' }, 'file, data'],
    ['data without a name', { collection_name: 'Photos', data: content }, 'file_name'],
    ['a name that is a path', { collection_name: 'Photos', data: content, file_name: 'a/b' }, 'file_name'],
    ['an unknown field', { collection_name: 'Photos', file: cat(), user_address: '0x1' }, 'user_address'],
  ])('%s is a 400 that names the field', async (_what, fields, field) => {
    await expectRefused(fields as Record<string, string | Blob>, naming(field));
  });

  it('a collection the account does not have is a 404: Collection not found', async () => {
    const notFound = { status: 404, body: { error: 'Collection not found' } };
    await expectRefused({ collection_name: 'Missing', file: cat() }, notFound);
    await expectRefused({ collection_name: 'Missing', collection_cid: photos, file: cat() }, notFound);
    await expectRefused({ collection_cid: cidOfContent(Buffer.from('x')), file: cat() }, notFound);
    const bob = await gateway.openAccount('Bob');
    expect(await send({ collection_name: 'Photos', file: cat() }, bob)).toMatchObject(notFound);
  });

  it('content without a commitment in this collection is a 404 that names its CID', async () => {
    const noRecords = { status: 404, body: { error: `No records found for this object_cid: ${objectCid}` } };
    for (const receipts of [[], [receiptOf(ada.account, 3, zeroCid)]]) {
      gateway.neighbours.answerLookups(200, { receipts });
      await expectRefused({ collection_name: 'Photos', file: cat() }, noRecords);
      await expectRefused({ collection_name: 'Photos', data: content, file_name: 'x' }, noRecords);
    }
  });

  it('unavailable verification is a 503 with Retry-After', async () => {
    gateway.neighbours.answerLookups(503, { error: 'not available now' });
    await expectRefused(
      { collection_name: 'Photos', file: cat() },
      { status: 503, body: { error: expect.any(String) } },
    );
    expect((await send({ collection_name: 'Photos', file: cat() })).headers.get('Retry-After')).toBe('1');
  });

  it('data over the limit is a 413', async () => {
    const data = 'x'.repeat(64 * 1024 + 1);
    await expectRefused(
      { collection_name: 'Photos', file_name: 'x', data },
      { status: 413, body: { error: expect.any(String) } },
    );
  });
});

describe('an upload that takes longer than the wait limit', () => {
  it('is a 503 with Retry-After and the advice to repeat it; its content stays for storage (I7)', async () => {
    const bob = await hasty.openAccount('Bob');
    await hasty.stamping.registerCollection(bob.account, 'Photos');
    await eventually(async () => expect((await hasty.send(bob, '/collections')).body).toHaveLength(1));
    hasty.neighbours.answerLookups(200, { receipts: [receiptOf(bob.account, 7)] });
    const answer = await send({ collection_name: 'Photos', file: cat() }, bob, hasty);
    expect(answer).toMatchObject({ status: 503, body: { details: expect.stringContaining('repeat the request') } });
    expect(answer.headers.get('Retry-After')).toBe('5');
    await eventually(() => expect(hasty.stamping.uploadCommands).toHaveLength(1));
    expect(await staged(hasty)).toEqual([hasty.stamping.uploadCommands[0]?.content.stagedId]);
  });
});

describe('an error while the content is read', () => {
  it('that is not an unavailable service is a 500 with the message of the specification', async () => {
    const broken = { stage: () => Promise.reject(new PermanentError('no')) } as unknown as BlobStore;
    const route = uploadStampedFileRoute({
      fields: loadDocument().fieldsOf('UploadForm'),
      maxFileBytes: 100,
      maxDataBytes: 100,
      receiveContent: createContentReceiver(broken, { take: () => undefined, give: () => {} }),
      collections: async () => ({ name: 'Photos', cid: photos }) as never,
      upload: () => Promise.reject(new Error('not reached')),
    });
    const call: Partial<Call> = {
      account: ada.account,
      contentType: parseContentType('application/x-www-form-urlencoded'),
      body: async function* () {
        yield Buffer.from('collection_name=Photos&data=meow&file_name=x');
      },
    };
    await expect(route(call as Call)).rejects.toMatchObject({
      status: 500,
      message: 'Failed to process file for object CID generation',
    });
  });
});
