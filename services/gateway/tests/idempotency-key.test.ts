import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { cidOfContent, type Hex } from '@indelible/identifiers';
import type { RequestStamp } from '@indelible/messages';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type Account,
  type AnyBody,
  formOf,
  type Gateway,
  type GatewayResponse,
  startGateway,
} from './gateway-harness.ts';

let gateway: Gateway;
let ada: Account;
let eve: Account;
beforeAll(async () => {
  gateway = await startGateway({ waitLimitMs: 5_000 });
  ada = await gateway.openAccount();
  eve = await gateway.openAccount('Eve');
}, 120_000);
afterAll(() => gateway.dispose(), 60_000);

let keys = 0;
let key = '';
let cid: Hex;
let commandsBefore = 0;
beforeEach(() => {
  key = `order ${++keys} ~!`;
  cid = cidOfContent(key);
  commandsBefore = gateway.stamping.commands.length;
  gateway.stamping.confirmAll();
});
const newCommands = (): readonly RequestStamp[] => gateway.stamping.commands.slice(commandsBefore);

type Fields = Record<string, string | Blob>;
type Options = { key?: string; who?: Account; prefer?: string; path?: string };
const post = (fields: Fields, options: Options = {}): Promise<GatewayResponse<AnyBody>> =>
  gateway.send(options.who ?? ada, options.path ?? '/stamps', {
    method: 'POST',
    body: formOf(fields),
    headers: {
      'Idempotency-Key': options.key ?? key,
      ...(options.prefer === undefined ? {} : { Prefer: options.prefer }),
    },
  });
/** No idempotency except the key's. */
const bare = (): Fields => ({ data_cid: cid, idempotent: 'false' });

describe('Idempotency-Key', () => {
  it.each([
    ['empty', ''],
    ['256 characters', 'x'.repeat(256)],
    ['not ASCII', 'schlüssel'],
    ['a control character', 'a\tb'],
  ])('that is %s is a 400 that names it, and nothing is stamped', async (_what, bad) => {
    const answer = await post(bare(), { key: bad });
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining('Idempotency-Key') } });
    expect(newCommands()).toEqual([]);
  });

  it('given twice is a 400 that names it', async () => {
    const sent = httpRequest(`${gateway.base}/stamps`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${ada.apiKey}`,
        'Content-Type': 'application/x-www-form-urlencoded',
        'Idempotency-Key': ['a', 'b'],
      },
    });
    sent.end(`data_cid=${cid}`);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(400);
    expect(Buffer.concat(await answer.toArray()).toString()).toContain('Idempotency-Key');
    expect(newCommands()).toEqual([]);
  });

  it('replays the first status and body to the same request, also with another Prefer, and makes no stamp', async () => {
    const first = await post(bare());
    expect(first.status).toBe(201);
    expect(await post(bare())).toMatchObject({ status: 201, body: first.body });
    expect(await post(bare(), { prefer: 'respond-async' })).toMatchObject({ status: 201, body: first.body });
    expect(newCommands()).toHaveLength(1);
  });

  it('replays a 201 with its file object, and keeps nothing staged of the repeat (I7)', async () => {
    const file = (): Fields => ({ file: new File([key], 'a.txt'), idempotent: 'false' });
    const blobs = async (): Promise<string[]> =>
      (await readdir(gateway.directory, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile())
        .map(({ name }) => name);
    const first = await post(file());
    expect(first).toMatchObject({ status: 201, body: { file_object: { file_name: 'stored_a.txt' } } });
    const before = await blobs();
    const second = await post(file());
    expect(second).toMatchObject({ status: 201, body: first.body });
    expect(await blobs()).toEqual(before);
  });

  it('replays the 200 of an idempotent repeat', async () => {
    gateway.stamping.script((command) =>
      gateway.stamping.repeat(command, '00000000-0000-4000-8000-000000000001', gateway.stamping.receiptOf(command)),
    );
    const first = await post({ data_cid: cid });
    expect(first.status).toBe(200);
    expect(await post({ data_cid: cid })).toMatchObject({ status: 200, body: first.body });
    expect(newCommands()).toHaveLength(1);
  });

  it('replays the 202 of respond-async with its Location, also without Prefer', async () => {
    gateway.stamping.script((command) => gateway.stamping.accept(command));
    const first = await post(bare(), { prefer: 'respond-async' });
    expect(first).toMatchObject({ status: 202, body: { id: newCommands()[0]?.requestId } });
    const second = await post(bare());
    expect(second).toMatchObject({ status: 202, body: first.body });
    expect(second.headers.get('Location')).toBe(first.headers.get('Location'));
    expect(newCommands()).toHaveLength(1);
  });

  it('with another request is the idempotent conflict: a 400 that names it', async () => {
    expect((await post(bare())).status).toBe(201);
    for (const other of [
      { ...bare(), data_cid: cidOfContent('other') },
      { ...bare(), collection_name: 'Other' },
      { data_cid: cid },
    ])
      expect(await post(other)).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining('Idempotency-Key'), details: expect.stringContaining('conflict') },
      });
    expect(newCommands()).toHaveLength(1);
  });

  it("is the account's own: another account may use the same", async () => {
    expect((await post(bare())).status).toBe(201);
    expect((await post(bare(), { who: eve })).status).toBe(201);
    expect(newCommands().map(({ account }) => account)).toEqual([ada.account, eve.account]);
  });

  it('makes one stamp of 20 requests at once though idempotent=false: all get the first answer (I2)', async () => {
    const released = Promise.withResolvers<void>();
    gateway.stamping.script(async (command) => {
      await gateway.stamping.accept(command);
      await released.promise;
      await gateway.stamping.confirm(command);
    });
    const all = Promise.all(Array.from({ length: 20 }, () => post(bare())));
    await eventually(async () => expect(newCommands()).toHaveLength(1));
    released.resolve();
    const answers = await all;
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(newCommands()).toHaveLength(1);
  });

  it('is freed by a 503, and its retry joins the stamp on its way though idempotent=false (I6)', async () => {
    gateway.stamping.script(async () => {});
    const first = await post(bare());
    expect(first).toMatchObject({ status: 503, body: { details: expect.stringContaining('/stamps/') } });
    const [command] = newCommands() as [RequestStamp];
    const retry = post(bare());
    await gateway.stamping.accept(command);
    await gateway.stamping.confirm(command);
    let answer = await retry;
    // The event may arrive after this wait ends.
    while (answer.status === 503) answer = await post(bare());
    expect(answer).toMatchObject({ status: 201, body: { commitment_receipt: { object_cid: cid } } });
    expect(new Set(newCommands().map(({ requestId }) => requestId)).size).toBe(1);
    expect(await post(bare())).toMatchObject({ status: 201, body: answer.body });
  });

  it('is freed by a 400: the same request is tried again, and another may use the key', async () => {
    gateway.stamping.script((command) =>
      gateway.stamping.refuse(command, { code: 'collection-cid-taken', message: 'm' }),
    );
    expect(await post(bare())).toMatchObject({ status: 400, body: { error: 'm' } });
    expect((await post({ ...bare(), collection_cid: cid })).status).toBe(400);
    gateway.stamping.confirmAll();
    expect((await post(bare())).status).toBe(201);
    const [refused, made] = newCommands() as [RequestStamp, RequestStamp];
    expect(made.requestId).not.toBe(refused.requestId);
  });

  it('counts for the deprecated path as for its successor', async () => {
    const first = await post(bare());
    expect(await post(bare(), { path: '/stamp/' })).toMatchObject({ status: 201, body: first.body });
    expect(newCommands()).toHaveLength(1);
  });
});
