// Long, since every rule of a stamp is shown on one running gateway: starting one takes longer than most of its tests.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checksumAddress, cidOfCollectionName, cidOfContent, type Hex, zeroCid } from '@indelible/identifiers';
import type { Receipt, RequestStamp } from '@indelible/messages';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import sha3 from 'js-sha3';
import {
  type Account,
  type AnyBody,
  chainId,
  formOf,
  type Gateway,
  type GatewayResponse,
  startGateway,
} from './gateway-harness.ts';

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
const onlyCommand = (): RequestStamp => {
  const [command, ...others] = newCommands();
  expect(others).toEqual([]);
  return command as RequestStamp;
};

let contents = 0;
const freshCid = (): Hex => cidOfContent(`content ${contents++}`);
const post = (
  body: FormData | URLSearchParams,
  headers: Record<string, string> = {},
): Promise<GatewayResponse<AnyBody>> => gateway.send(ada, '/stamps', { method: 'POST', body, headers });
const postForm = (fields: Record<string, string | Blob>, headers?: Record<string, string>) =>
  post(formOf(fields), headers);
/** What is in the blob store, whole files by their path below its folder. */
const blobs = async (): Promise<string[]> =>
  (await readdir(gateway.directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
const stagedBytes = async (stagedId: string): Promise<Buffer> => {
  const path = (await blobs()).find((one) => one.includes(stagedId));
  return readFile(path ?? `nothing is staged as ${stagedId}`);
};
const oracle = (bytes: Buffer): Hex => `0x${sha3.sha3_256(bytes)}`;

describe('a new stamp', () => {
  it('is answered 201 with its receipt when its commitment is confirmed (I1)', async () => {
    const cid = freshCid();
    const answer = await postForm({ data_cid: cid });
    expect(answer).toMatchObject({
      status: 201,
      body: {
        commitment_receipt: {
          user_address: checksumAddress(ada.account),
          set_cid: zeroCid,
          object_cid: cid,
          chain_id: chainId,
          timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/),
        },
      },
    });
    expect(answer.body).not.toHaveProperty('file_object');
    expect(onlyCommand()).toMatchObject({
      account: ada.account,
      set: { kind: 'none' },
      objectCid: cid,
      idempotency: { windowSeconds: 3600 },
      content: null,
    });
  });

  it('of a file carries the SHA3-256 of its bytes, stages them exactly, and answers where they are stored', async () => {
    const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * 31) % 256));
    const answer = await postForm({ file: new File([bytes], 'photo.tar.gz') });
    const { content, objectCid } = onlyCommand();
    expect(objectCid).toBe(oracle(bytes));
    expect(content).toMatchObject({ objectCid, size: bytes.length, fileName: 'photo.tar.gz' });
    expect(await stagedBytes(content?.stagedId ?? '')).toEqual(bytes);
    expect(answer).toMatchObject({
      status: 201,
      body: { commitment_receipt: { object_cid: objectCid }, file_object: { file_name: 'stored_photo.tar.gz' } },
    });
  });

  it('of a zero-byte file is a stamp', async () => {
    expect((await postForm({ file: new File([], 'empty') })).status).toBe(201);
    expect(onlyCommand()).toMatchObject({ objectCid: cidOfContent(''), content: { size: 0 } });
  });

  it.each([
    ['as multipart', (data: string) => formOf({ data })],
    ['urlencoded', (data: string) => new URLSearchParams({ data })],
  ])('of inline data %s hashes the exact UTF-8 bytes and names them from the CID', async (how, body) => {
    const data = `{"é": "a+b & c%20"}\r\n \ufeff ${how}`;
    expect((await post(body(data))).status).toBe(201);
    const { content, objectCid } = onlyCommand();
    expect(objectCid).toBe(oracle(Buffer.from(data)));
    expect(content?.fileName).toBe(`${objectCid}.txt`);
    expect(await stagedBytes(content?.stagedId ?? '')).toEqual(Buffer.from(data));
  });

  it('of inline JSON has the extension json, unless a name is given', async () => {
    await postForm({ data: '[1, 2]' });
    await postForm({ data: '[1, 2, 3]', file_name: 'list' });
    expect(newCommands().map(({ content }) => content?.fileName)).toEqual([`${cidOfContent('[1, 2]')}.json`, 'list']);
  });

  it('stores nothing under store_stamped_file=false, though it comes after the file', async () => {
    const before = await blobs();
    const answer = await postForm({ file: new File(['not stored'], 'a.txt'), store_stamped_file: 'FALSE' });
    expect(answer.status).toBe(201);
    expect(answer.body).not.toHaveProperty('file_object');
    expect(onlyCommand().content).toBeNull();
    expect(await blobs()).toEqual(before);
  });

  it('under idempotent=false requests a new stamp in any case', async () => {
    const cid = freshCid();
    await Promise.all([1, 2].map(() => postForm({ data_cid: cid, idempotent: '0' })));
    expect(newCommands().map(({ idempotency }) => idempotency)).toEqual([null, null]);
  });
});

describe('an invalid form', () => {
  it.each<[string, () => FormData, string]>([
    [
      'contents that differ',
      () => formOf({ file: new File(['a'], 'a'), data_cid: cidOfContent('b') }),
      'file, data_cid',
    ],
    ['a field unknown after the file', () => formOf({ file: new File(['a'], 'a'), nonsense: '1' }), 'nonsense'],
    [
      'a second file',
      () => {
        const form = formOf({ file: new File(['a'], 'a') });
        form.append('file', new File(['b'], 'b'));
        return form;
      },
      'file',
    ],
  ])(
    'with %s is a 400 that names it; nothing is published and nothing stays staged (I7)',
    async (_what, form, named) => {
      const before = await blobs();
      const answer = await post(form());
      expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining(named) } });
      expect(newCommands()).toEqual([]);
      expect(await blobs()).toEqual(before);
    },
  );
});

describe('idempotency', () => {
  // Redis lets 49 of them follow one (stamp.test.ts); a follower that Redis notifies too late queries stamping, which
  // has the first.
  it('makes one stamp of 50 identical requests at once: one 201, 49 times 200 (I2)', async () => {
    const released = Promise.withResolvers<void>();
    const stamped = Promise.withResolvers<Receipt>();
    gateway.stamping.script(async (command) => {
      const [first] = newCommands() as [RequestStamp];
      if (command !== first) return gateway.stamping.repeat(command, first.requestId, await stamped.promise);
      await gateway.stamping.accept(command);
      await released.promise;
      stamped.resolve(await gateway.stamping.confirm(command));
    });
    const cid = freshCid();
    const answers = Promise.all(Array.from({ length: 50 }, () => postForm({ data_cid: cid })));
    await eventually(async () => {
      const metrics = await (await fetch(`${gateway.internal}/metrics`)).text();
      expect(metrics).toContain('indelible_gateway_waiting_requests 50');
    });
    released.resolve();
    const all = await answers;
    expect(all.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 49 }, () => 200), 201]);
    expect(new Set(all.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  });

  it('answers a repeat 200 with the earlier receipt alone, though it brought content that is stored', async () => {
    gateway.stamping.script((command) =>
      gateway.stamping.repeat(command, '00000000-0000-4000-8000-000000000001', gateway.stamping.receiptOf(command)),
    );
    const answer = await postForm({ file: new File([`repeat ${contents++}`], 'a.txt') });
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body)).toEqual(['commitment_receipt']);
    expect(onlyCommand().content).not.toBeNull();
  });

  it('lets a follower that brings content publish its own command when the leader stored none', async () => {
    const released = Promise.withResolvers<void>();
    const text = `followed ${contents++}`;
    gateway.stamping.script(async (command) => {
      const [leader] = newCommands() as [RequestStamp];
      if (command !== leader)
        return gateway.stamping.repeat(command, leader.requestId, gateway.stamping.receiptOf(command));
      await gateway.stamping.accept(command);
      await released.promise;
      await gateway.stamping.confirm(command);
    });
    const leading = postForm({ data_cid: cidOfContent(text) });
    await eventually(async () => expect(newCommands()).toHaveLength(1));
    const following = postForm({ file: new File([text], 'a.txt') });
    await eventually(async () => {
      const metrics = await (await fetch(`${gateway.internal}/metrics`)).text();
      expect(metrics).toContain('indelible_gateway_waiting_requests 2');
    });
    released.resolve();
    expect((await leading).status).toBe(201);
    expect((await following).status).toBe(200);
    expect(newCommands().map(({ content }) => content === null)).toEqual([true, false]);
  });
});

it("an account's display timezone is its setting and changes no receipt's time (docs/interface.md, Identifiers)", async () => {
  const eve = await gateway.openAccount('Eve', 'Asia/Tokyo');
  expect(await gateway.send(eve, '/users/me')).toMatchObject({ status: 200, body: { display_timezone: 'Asia/Tokyo' } });
  const stamped = await gateway.send(eve, '/stamps', { method: 'POST', body: formOf({ data_cid: freshCid() }) });
  const { timestamp } = stamped.body.commitment_receipt as { timestamp: string };
  expect(timestamp).toMatch(/\+00:00$/);
  expect(Math.abs(Date.parse(timestamp) - Date.now())).toBeLessThan(60_000);
});

describe('stamping into a collection', () => {
  const shown = (cid: Hex, created: boolean): Promise<void> =>
    eventually(async () => {
      const { rows } = await gateway.pool.query(
        'select created from gateway.collections where account = $1 and cid = $2',
        [ada.account, cid],
      );
      expect(rows).toEqual([{ created }]);
    });

  it('by a CID that is not registered stops before any stamping', async () => {
    const cid = freshCid();
    expect(await postForm({ data_cid: cid, collection_cid: cid })).toMatchObject({
      status: 400,
      body: {
        error: `Collection CID is not registered in your Indelible account: ${cid}`,
        details: expect.stringContaining('collection_cid'),
      },
    });
    expect(newCommands()).toEqual([]);
  });

  it.each([
    ['file', { file: new File(['kept aside'], 'notes.txt') }, 'notes.txt', 'kept aside'],
    [
      'data',
      { data: '{"kept":"aside"}', store_stamped_file: 'true' },
      `${cidOfContent('{"kept":"aside"}')}.json`,
      '{"kept":"aside"}',
    ],
  ])(
    'by a CID that is registered and not created keeps the %s aside: a command for storage, and the 400 (I7)',
    async (_from, fields, fileName, content) => {
      const { cid } = await gateway.stamping.registerCollection(ada.account, `Not created, ${fileName}`);
      await shown(cid, false);
      const before = gateway.stamping.asideCommands.length;
      expect(await postForm({ ...fields, collection_cid: cid })).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining('has not been created by the current user') },
      });
      await eventually(() => expect(gateway.stamping.asideCommands).toHaveLength(before + 1));
      const command = gateway.stamping.asideCommands.at(-1);
      expect(command).toMatchObject({
        account: ada.account,
        setCid: cid,
        objectCid: cidOfContent(content),
        collectionName: `Not created, ${fileName}`,
        content: { fileName, size: content.length },
      });
      expect((await stagedBytes(command?.content.stagedId ?? '')).toString()).toBe(content);
      expect(newCommands()).toEqual([]);
    },
  );

  it('by a CID that is registered and not created keeps nothing when storing is off', async () => {
    const { cid } = await gateway.stamping.registerCollection(ada.account, 'Not created, not stored');
    await shown(cid, false);
    const [before, files] = [gateway.stamping.asideCommands.length, await blobs()];
    const off = { file: new File(['not kept'], 'notes.txt'), collection_cid: cid, store_stamped_file: 'false' };
    expect(await postForm(off)).toMatchObject({ status: 400 });
    await eventually(async () => expect(await blobs()).toEqual(files));
    expect(gateway.stamping.asideCommands).toHaveLength(before);
  });

  it('is refused with a CID that is registered and not created, and continues with one that is created', async () => {
    const { collectionId, cid } = await gateway.stamping.registerCollection(ada.account, 'Pending');
    await shown(cid, false);
    expect(await postForm({ data_cid: freshCid(), collection_cid: cid })).toMatchObject({
      status: 400,
      body: {
        error: `Collection CID has not been created by the current user: ${cid}. Please create a collection first.`,
      },
    });
    await gateway.stamping.confirmCollection(ada.account, collectionId, cid);
    await shown(cid, true);
    expect(
      await postForm({ data_cid: freshCid(), collection_cid: cid.toUpperCase().replace('0X', '0x') }),
    ).toMatchObject({
      status: 201,
      body: { commitment_receipt: { set_cid: cid } },
    });
    expect(onlyCommand()).toMatchObject({ set: { kind: 'registered', cid }, setCidHint: cid });
  });

  it('by a name in another letter case means the registered collection and its CID', async () => {
    const own = freshCid();
    await gateway.stamping.registerCollection(ada.account, 'Straße', { cid: own });
    await shown(own, false);
    await postForm({ data_cid: freshCid(), collection_name: ' STRASSE ' });
    await postForm({ data_cid: freshCid(), collection_name: 'STRAßE' });
    expect(newCommands().map(({ setCidHint }) => setCidHint)).toEqual([own, own]);
  });

  it('by a new name answers when the collection shows as created (I9)', async () => {
    const name = 'New one';
    gateway.stamping.script(async (command) => {
      await gateway.stamping.accept(command);
      const { collectionId, cid } = await gateway.stamping.registerCollection(command.account, name);
      await gateway.stamping.confirm(command, { collectionCreated: true });
      await gateway.stamping.confirmCollection(command.account, collectionId, cid);
    });
    expect((await postForm({ data_cid: freshCid(), collection_name: name })).status).toBe(201);
    const cid = cidOfCollectionName(name);
    expect(onlyCommand()).toMatchObject({ set: { kind: 'named', name }, setCidHint: cid });
    gateway.stamping.confirmAll();
    expect((await postForm({ data_cid: freshCid(), collection_cid: cid })).status).toBe(201);
  });

  it.each([
    ['collection-cid-taken', 400],
    ['stamp-failed', 500],
    ['account-not-granted', 500],
    ['something-new', 500],
  ])('answers the refusal %s with %d and its message', async (code, status) => {
    gateway.stamping.script((command) => gateway.stamping.refuse(command, { code, message: `because ${code}` }));
    const answer = await postForm({ data_cid: freshCid(), collection_name: 'Refused' });
    expect(answer).toMatchObject({ status, body: { error: `because ${code}` } });
  });
});

describe('Prefer: respond-async', () => {
  const prefer = { Prefer: 'wait=10, Respond-Async' };
  const follow = async (answer: GatewayResponse<AnyBody>): Promise<GatewayResponse<AnyBody>> =>
    gateway.send(ada, `${gateway.base.replace('/api/v1', '')}${answer.headers.get('Location')}`);

  it('answers 202 with a status resource that is found at once, and follows the stamp to its end (I6)', async () => {
    gateway.stamping.script((command) => gateway.stamping.accept(command));
    const cid = freshCid();
    const answer = await postForm({ data_cid: cid }, prefer);
    const command = onlyCommand();
    expect(answer).toMatchObject({ status: 202, body: { id: command.requestId, status: 'accepted' } });
    expect(answer.headers.get('Location')).toBe(`/api/v1/stamps/${command.requestId}`);
    expect(await follow(answer)).toMatchObject({
      status: 200,
      body: {
        id: command.requestId,
        status: 'accepted',
        object_cid: cid,
        set_cid: zeroCid,
        requested_at: command.requestedAt,
      },
    });
    await gateway.stamping.confirm(command);
    await eventually(async () =>
      expect((await follow(answer)).body).toMatchObject({
        status: 'confirmed',
        commitment_receipt: { object_cid: cid },
      }),
    );
  });

  it('answers the id of a stamp in flight that it joins', async () => {
    gateway.stamping.script((command) => gateway.stamping.accept(command));
    const cid = freshCid();
    const { id: stampId } = (await postForm({ data_cid: cid }, prefer)).body;
    gateway.statuses.change(stampId as string, { status: 'submitted' });
    gateway.stamping.script((command) => gateway.stamping.join(command, stampId as string));
    const answer = await postForm({ data_cid: cid }, prefer);
    expect(answer).toMatchObject({ status: 202, body: { id: stampId, status: 'submitted' } });
    expect(await follow(answer)).toMatchObject({ status: 200, body: { id: stampId } });
    const { requestId } = newCommands().at(-1) as RequestStamp;
    expect(await gateway.send(ada, `/stamps/${requestId}`)).toMatchObject({ status: 200, body: { id: stampId } });
  });

  it('answers 200 when it finds a confirmed stamp', async () => {
    gateway.stamping.script((command) =>
      gateway.stamping.repeat(command, '00000000-0000-4000-8000-00000000000b', gateway.stamping.receiptOf(command)),
    );
    expect((await postForm({ data_cid: freshCid() }, prefer)).status).toBe(200);
  });
});

describe('GET /stamps/{id}', () => {
  it('shows a failed stamp and the reason (I6)', async () => {
    gateway.stamping.script((command) => gateway.stamping.refuse(command, { code: 'stamp-failed', message: 'why' }));
    await postForm({ data_cid: freshCid() });
    const { requestId } = onlyCommand();
    await eventually(async () =>
      expect(await gateway.send(ada, `/stamps/${requestId.toUpperCase()}/`)).toMatchObject({
        status: 200,
        body: { status: 'failed', error: 'why' },
      }),
    );
  });

  it("does not find another account's stamp, nor one that never was", async () => {
    const eve = await gateway.openAccount('Eve');
    await postForm({ data_cid: freshCid() });
    const { requestId } = onlyCommand();
    await eventually(async () => expect((await gateway.send(ada, `/stamps/${requestId}`)).status).toBe(200));
    expect((await gateway.send(eve, `/stamps/${requestId}`)).status).toBe(404);
    expect((await gateway.send(ada, '/stamps/00000000-0000-4000-8000-0000000000ff')).status).toBe(404);
  });
});

describe('POST /stamps/status', () => {
  const statusesOf = (account: Account, ids: readonly string[]) =>
    gateway.send(account, '/stamps/status', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ ids }),
    });

  it('shows each as its own resource does, in the requested order, and lists what is unknown', async () => {
    const eve = await gateway.openAccount('Eve');
    gateway.stamping.confirmAll();
    await postForm({ data_cid: freshCid() });
    await postForm({ data_cid: freshCid() });
    const [first, second] = gateway.stamping.commands.slice(-2).map(({ requestId }) => requestId) as [string, string];
    const never = '00000000-0000-4000-8000-0000000000fe';
    await eventually(async () => {
      const { status, body } = await statusesOf(ada, [second, never, first.toUpperCase(), second]);
      expect(status).toBe(200);
      const own = await Promise.all([second, first].map((id) => gateway.send(ada, `/stamps/${id}`)));
      expect(body).toEqual({
        stamps: own.map((one, i) => ({ requested_id: [second, first][i], stamp: one.body })),
        unknown_ids: [never],
      });
      expect(own.map((one) => one.body.status)).toEqual(['confirmed', 'confirmed']);
    });
    expect(await statusesOf(eve, [first])).toMatchObject({ status: 200, body: { stamps: [], unknown_ids: [first] } });
  });

  it.each<[string, readonly unknown[], string]>([
    ['no id', [], 'ids'],
    ['1,001 ids', Array(1_001).fill('00000000-0000-4000-8000-0000000000fe'), 'ids'],
    ['an id that is no UUID', ['00000000-0000-4000-8000-0000000000fe', 'x'], 'ids/1'],
  ])('with %s is a 400 that names it', async (_what, ids, named) => {
    const { status, body } = await statusesOf(ada, ids as string[]);
    expect(status).toBe(400);
    expect(`${body.error} ${body.details}`).toContain(named);
  });
});
