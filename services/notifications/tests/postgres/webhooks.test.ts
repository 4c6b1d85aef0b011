import type { Hex } from '@indelible/identifiers';
import { eventually, recordStatements } from '@indelible/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { findWebhook } from '../../src/tables/webhooks.ts';
import { createSealer, type Sealer } from '../../src/webhook-requests/sealer.ts';
import { forgetOldDeliveries, sealAgain } from '../../src/webhooks/keep-webhooks.ts';
import { receiverOf } from '../../src/webhooks/lane-source.ts';
import { expectIndexed, webhookSealingKeys } from '../support/database.ts';
import { accountOf, hash, stampOf } from '../support/messages.ts';
import { createReceivers, isVerified } from '../support/receiver.ts';
import { confirmedFact, createWebhookWorld, type WebhookWorld } from '../support/webhooks.ts';

jest.setTimeout(60_000);
const patience = { timeoutMs: 30_000 };
const minute = 60_000;
const day = 24 * 60 * minute;

const statements = recordStatements();
let world: WebhookWorld;
beforeAll(async () => {
  world = await createWebhookWorld({ timeoutMs: 3_000, mostWebhooks: 3 });
  await world.startDispatcher();
}, 60_000);
afterAll(() => world.stop(), 60_000);

const { start: receiver, stop: stopReceivers } = createReceivers();
afterEach(stopReceivers);

const webhook = async (account: Hex, id: string) => (await world.ask(account, 'GET', `/${id}`)).body;
const deliveries = (account: Hex, id: string, query = '') => world.deliveries(account, id, query);

describe('a webhook', () => {
  it('gets every event from its creation on, each signed, which the library of Standard Webhooks verifies', async () => {
    const account = accountOf('signed');
    await world.failStamps(account, 3);
    const { url, received, names } = await receiver();
    const { secret } = await world.create(account, { url, types: ['stamp.submitted', 'stamp.confirmed'] });
    const stamp = stampOf({ account });
    await world.project(confirmedFact(stamp));
    await eventually(() => expect(names().sort()).toEqual(['stamp.confirmed', 'stamp.submitted']), patience);
    for (const one of received) {
      expect(isVerified(one, secret)).toBe(true);
      expect(isVerified({ ...one, body: `${one.body} ` }, secret)).toBe(false);
      expect(one.headers).toMatchObject({ 'webhook-id': one.event.id, 'content-type': 'application/json' });
      expect(one.event).toMatchObject({ specversion: '1.0', source: 'indelible/tests', subject: stamp.stampId });
      expect(one.event.data.stamp_id).toBe(stamp.stampId);
    }
  });

  it('gets events of its types and collections alone', async () => {
    const account = accountOf('filters');
    const { url, received } = await receiver();
    await world.create(account, {
      url,
      types: ['stamp.failed'],
      collections: [hash('A').toUpperCase().replace('0X', '0x')],
    });
    const wanted = (await world.failStamps(account, 4, (at) => ({ setCid: hash(at % 2 === 0 ? 'A' : 'B') }))).filter(
      (_, at) => at % 2 === 0,
    );
    await world.project(confirmedFact(stampOf({ account, setCid: hash('A') })));
    const [last] = await world.failStamps(account, 1, () => ({ setCid: hash('A') }));
    await eventually(
      () => expect(received.map(({ event }) => event.subject).sort()).toEqual([...wanted, last].sort()),
      patience,
    );
  });

  it('shows each delivery with its attempts, the newest first, in pages', async () => {
    const account = accountOf('log of deliveries');
    const { url, ids } = await receiver(() => ({ status: 200, body: `fine\u0000${'x'.repeat(5_000)}` }));
    const { id } = await world.create(account, { url, types: ['stamp.failed'] });
    await world.failStamps(account, 5);
    await eventually(async () => expect((await deliveries(account, id)).deliveries).toHaveLength(5), patience);
    const first = await deliveries(account, id, 'limit=3');
    const second = await deliveries(account, id, `limit=3&cursor=${first.next_cursor}`);
    expect(second.next_cursor).toBeNull();
    const all = [...first.deliveries, ...second.deliveries];
    expect(all.map((one) => one.id).sort()).toEqual(ids().sort());
    expect(all[0]).toEqual({
      id: expect.any(String),
      type: 'stamp.failed',
      status: 'delivered',
      next_attempt_at: null,
      attempts: [
        {
          at: expect.any(String),
          http_status: 200,
          body: expect.stringMatching(/^fine x{1019}$/),
          error: null,
          duration_ms: expect.any(Number),
        },
      ],
    });
    expect((await deliveries(account, id, 'status=failed')).deliveries).toEqual([]);
  });

  it('that is slow holds up no other, of its account or of others (I12)', async () => {
    const account = accountOf('slow');
    const hung = Promise.withResolvers<{ status: number }>();
    const slow = await receiver(() => hung.promise);
    const [own, other] = [await receiver(), await receiver()];
    await world.create(account, { url: slow.url, types: ['stamp.failed'] });
    await world.create(account, { url: own.url, types: ['stamp.failed'] });
    await world.create(accountOf('not slow'), { url: other.url, types: ['stamp.failed'] });
    await world.failStamps(account, 100);
    await world.failStamps(accountOf('not slow'), 20);
    await eventually(() => {
      expect([new Set(own.ids()).size, new Set(other.ids()).size]).toEqual([100, 20]);
    }, patience);
    expect(slow.received.length).toBeLessThan(9);
    hung.resolve({ status: 204 });
    await eventually(() => expect(new Set(slow.ids()).size).toBe(100), patience);
  });

  it('whose receiver is gone (410) is disabled at once, with an event that the account reads elsewhere', async () => {
    const account = accountOf('gone');
    const [gone, other] = [await receiver(() => ({ status: 410 })), await receiver()];
    const { id } = await world.create(account, { url: gone.url, types: ['stamp.failed'] });
    await world.create(account, { url: other.url, types: ['webhook.disabled'] });
    await world.failStamps(account, 1);
    await eventually(() => expect(other.names()).toEqual(['webhook.disabled']), patience);
    expect(other.received[0]?.event.data).toMatchObject({ webhook_id: id, reason: 'gone' });
    expect(await webhook(account, id)).toMatchObject({ status: 'disabled', disabled_reason: 'gone' });
    expect((await deliveries(account, id)).deliveries).toMatchObject([{ status: 'failed' }]);
    gone.script(() => ({ status: 204 }));
    await world.failStamps(account, 2);
    await world.ask(account, 'PATCH', `/${id}`, { status: 'enabled' });
    await eventually(() => expect(new Set(gone.ids()).size).toBe(3), patience);
  });

  it('is delivered one event again, with the same id, and all since a time beside new ones', async () => {
    const account = accountOf('again');
    const { url, received, ids } = await receiver();
    const { id } = await world.create(account, { url, types: ['stamp.failed', 'stamp.confirmed'] });
    await world.failStamps(account, 3);
    const { rows } = await world.server.pool.query<{ now: Date }>('select clock_timestamp() as now');
    const since = rows[0]!.now.toISOString();
    await world.failStamps(account, 40);
    await world.project(confirmedFact(stampOf({ account })));
    const isWritten = async () =>
      expect((await deliveries(account, id, 'status=delivered&limit=100')).deliveries).toHaveLength(44);
    await eventually(isWritten, patience);
    const [one] = (await deliveries(account, id)).deliveries.slice(-1);
    expect((await world.ask(account, 'POST', `/${id}/deliveries/${one!.id}/redeliver`)).status).toBe(202);
    await eventually(() => expect(ids().filter((each) => each === one!.id)).toHaveLength(2), patience);
    await eventually(isWritten, patience);

    const body = { since, types: ['stamp.failed'] };
    await eventually(async () => expect((await world.ask(account, 'POST', `/${id}/redeliver`, body)).status).toBe(202));
    await eventually(() => expect(received).toHaveLength(44 + 1 + 40), patience);
    await eventually(async () => expect(await webhook(account, id)).not.toHaveProperty('redelivery'), patience);
    expect(new Set(ids()).size).toBe(44);
    expect(received.slice(45).every(({ event }) => event.type === 'com.indelible.stamp.failed.v1')).toBe(true);
  });

  it('is tested with a signed event at once, which reports what came of it', async () => {
    const account = accountOf('test');
    const { url, received, script } = await receiver(() => ({ status: 200, body: 'hello' }));
    const { id, secret } = await world.create(account, { url, types: ['stamp.failed'] });
    const fine = await world.ask(account, 'POST', `/${id}/test`);
    expect(fine.body).toMatchObject({ delivered: true, attempt: { http_status: 200, body: 'hello' } });
    expect(received[0]?.event).toMatchObject({
      type: 'com.indelible.webhook.test.v1',
      data: { webhook_id: id },
      dataschema: 'https://api.example.com/schemas/webhook.test.v1.json',
    });
    expect(isVerified(received[0]!, secret)).toBe(true);
    script(() => ({ status: 302, headers: { Location: 'http://127.0.0.1:1/' } }));
    expect((await world.ask(account, 'POST', `/${id}/test`)).body).toMatchObject({
      delivered: false,
      attempt: { http_status: null, error: expect.stringMatching(/^redirect: /) },
    });
    expect((await deliveries(account, id)).deliveries).toEqual([]);
  });
});

describe('the internal API of webhooks', () => {
  const [ada, bob] = [accountOf('Ada'), accountOf('Bob')];

  it("answers 404 for another account's id, whatever is asked of it", async () => {
    const { url, ids } = await receiver();
    const { id } = await world.create(ada, { url, types: ['stamp.failed'] });
    await world.failStamps(ada, 1);
    await eventually(async () => expect((await deliveries(ada, id)).deliveries).toHaveLength(1), patience);
    const since = '2026-01-01T00:00:00Z';
    for (const [method, path, body] of [
      ['GET', `/${id}`],
      ['PATCH', `/${id}`, { ordered: true }],
      ['DELETE', `/${id}`],
      ['POST', `/${id}/rotate-secret`],
      ['POST', `/${id}/test`],
      ['GET', `/${id}/deliveries`],
      ['POST', `/${id}/deliveries/${ids()[0]}/redeliver`],
      ['POST', `/${id}/redeliver`, { since }],
    ] as const)
      expect([method, path, (await world.ask(bob, method, path, body)).status]).toEqual([method, path, 404]);
    expect((await world.ask<unknown[]>(bob, 'GET', '')).body).toEqual([]);
    expect((await world.ask(ada, 'DELETE', `/${id}`)).status).toBe(204);
    expect((await world.ask(ada, 'DELETE', `/${id}`)).status).toBe(404);
  });

  it.each([
    ['url', { url: 'http://example.com/', types: ['stamp.failed'] }],
    ['url', { url: 'https://10.0.0.1/', types: ['stamp.failed'] }],
    ['url', { url: 'https://user:password@example.com/', types: ['stamp.failed'] }],
    ['types', { url: 'https://example.com/', types: ['stamp.lost'] }],
    ['types', { url: 'https://example.com/', types: [] }],
    ['types', { url: 'https://example.com/' }],
    ['collections', { url: 'https://example.com/', types: ['stamp.failed'], collections: ['forest'] }],
  ])('refuses a %s that it cannot use', async (field, body) => {
    const { status, body: answer } = await world.ask<{ error: string }>(ada, 'POST', '', body);
    expect([status, answer.error]).toEqual([400, expect.stringMatching(`^${field}: `)]);
  });

  it('allows an account so many webhooks, and shows no secret again', async () => {
    const account = accountOf('many');
    const body = { url: 'https://example.com/', types: ['stamp.failed'] };
    const created = await Promise.all(Array.from({ length: 5 }, () => world.ask(account, 'POST', '', body)));
    expect(created.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409, 409]);
    const listed = await world.ask<Record<string, unknown>[]>(account, 'GET', '');
    expect(listed.body).toHaveLength(3);
    expect(listed.body.every((one) => !('secret' in one))).toBe(true);
  });
});

describe('secrets at rest', () => {
  const stored = async (id: string) => {
    const { rows } = await world.server.pool.query<Record<string, unknown>>(
      'select * from notifications.webhooks where webhook_id = $1',
      [id],
    );
    return rows[0]!;
  };

  it('are sealed, and sealed again by a new key, after which the former one is not needed (I10)', async () => {
    const account = accountOf('sealed');
    const url = 'https://example.com/hook?token=private';
    const { id, secret } = await world.create(account, { url, types: ['stamp.failed'] });
    const secrets = [secret];
    for (let rotations = 0; rotations < 2; rotations++)
      secrets.unshift((await world.ask<{ secret: string }>(account, 'POST', `/${id}/rotate-secret`)).body.secret);
    const shownRow = JSON.stringify(Object.values(await stored(id)).map(String));
    for (const text of ['private', 'example.com', ...secrets.map((one) => one.slice(6))])
      expect(shownRow).not.toContain(text);
    const fresh = { id: 'fresh', key: Buffer.alloc(32, 9) };
    expect(await sealAgain(world.database, createSealer([fresh, ...webhookSealingKeys]))).toBeGreaterThan(0);
    const webhook = (await findWebhook(world.database, account, id))!;
    expect(receiverOf(webhook, createSealer([fresh]), Date.now())).toEqual({ url, secrets });
    expect(await sealAgain(world.database, createSealer([fresh, ...webhookSealingKeys]))).toBe(0);
    await sealAgain(world.database, createSealer([...webhookSealingKeys, fresh]));
  });

  it('that cannot be opened hold up none behind them, and the fault is reported until it is mended (I11, I12)', async () => {
    const account = accountOf('not to be opened');
    const created = await Promise.all(
      Array.from({ length: 3 }, () => world.create(account, { url: 'https://example.com/', types: ['stamp.failed'] })),
    );
    // In the order in which they are sealed: the first is spoiled.
    const [spoiled, ...others] = created.map(({ id }) => id).sort() as [string, string, string];
    const { secret } = await stored(spoiled);
    const put = (value: unknown) =>
      world.server.pool.query('update notifications.webhooks set secret = $2 where webhook_id = $1', [spoiled, value]);
    const spoiledSecret = Buffer.from(secret as Buffer);
    spoiledSecret[spoiledSecret.length - 1]! ^= 1;
    await put(spoiledSecret);
    const fresh = { id: 'fresher', key: Buffer.alloc(32, 11) };
    const both = createSealer([fresh, ...webhookSealingKeys]);
    const opens = async (id: string, sealer: Sealer) =>
      receiverOf((await findWebhook(world.database, account, id))!, sealer, Date.now()).secrets.length;

    await expect(sealAgain(world.database, both)).rejects.toThrow();
    for (const id of others) expect(await opens(id, createSealer([fresh]))).toBe(1);
    expect((await stored(spoiled)).secret).toEqual(spoiledSecret);
    await expect(sealAgain(world.database, both)).rejects.toThrow();

    await put(secret);
    expect(await sealAgain(world.database, both)).toBe(1);
    expect(await opens(spoiled, createSealer([fresh]))).toBe(1);
    await sealAgain(world.database, createSealer([...webhookSealingKeys, fresh]));
  });

  it('are taken over from a release that stored URLs as text and knew one former secret', async () => {
    const account = accountOf('not sealed');
    const { url, received } = await receiver();
    const { id, secret } = await world.create(account, { url: 'https://example.com/', types: ['stamp.failed'] });
    const { secret: next } = (await world.ask<{ secret: string }>(account, 'POST', `/${id}/rotate-secret`)).body;
    // How that release saves a URL: it does not know the other columns.
    await world.server.pool.query(
      'update notifications.webhooks set url = $2, updated_at = now() where webhook_id = $1',
      [id, url],
    );
    expect((await webhook(account, id)).url).toBe(url);
    await world.ask(account, 'PATCH', `/${id}`, { description: 'of that release' });
    await world.failStamps(account, 1);
    await eventually(() => expect(received.length).toBeGreaterThan(0), patience);
    expect([secret, next].map((one) => isVerified(received[0]!, one))).toEqual([true, true]);
    expect(await stored(id)).toMatchObject({ url });
    expect(await sealAgain(world.database, world.sealer)).toBeGreaterThan(0);
    expect(await stored(id)).toMatchObject({ url: 'https://sealed.invalid/', sealed_url: expect.any(Buffer) });
    expect((await webhook(account, id)).url).toBe(url);
  });
});

describe('old deliveries', () => {
  it('are forgotten 30 days after their last attempt, and not while they wait', async () => {
    const account = accountOf('old');
    const { url } = await receiver(({ event }) => ({ status: event.sequence === '1' ? 500 : 204 }));
    const { id } = await world.create(account, { url, types: ['stamp.failed'] });
    await world.failStamps(account, 2);
    await eventually(async () => expect((await deliveries(account, id)).deliveries).toHaveLength(2), patience);
    await forgetOldDeliveries(world.database, Date.now() + 29 * day, 5_000);
    expect((await deliveries(account, id)).deliveries).toHaveLength(2);
    await forgetOldDeliveries(world.database, Date.now() + 31 * day, 5_000);
    expect((await deliveries(account, id)).deliveries).toMatchObject([{ status: 'waiting' }]);
  });
});

describe('another replica', () => {
  it('delivers when the leader has stopped, and nothing is left out (I11)', async () => {
    const account = accountOf('another leader');
    const { url, received } = await receiver();
    await world.create(account, { url, types: ['stamp.failed'] });
    await world.failStamps(account, 1);
    await eventually(() => expect(received).toHaveLength(1), patience);
    const second = await world.startDispatcher();
    await world.stopFirst();
    const [later] = await world.failStamps(account, 1);
    await eventually(() => expect(received.map(({ event }) => event.subject)).toContain(later), patience);
    expect(second.leading()).toBe(true);
  });
});

describe('the statements of webhooks', () => {
  it('read no whole table', () => expectIndexed(statements, world.server.url), 60_000);
});
