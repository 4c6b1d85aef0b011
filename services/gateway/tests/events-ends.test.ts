import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { components } from '../src/api/generated/openapi.ts';
import { openEvents } from './event-client.ts';
import { confirmStamps } from './event-stamps.ts';
import { type Account, type Gateway, startGateway } from './gateway-harness.ts';
import { createNotifications, freeUrl, type NotificationsProcess } from './notifications-process.ts';

type Page = components['schemas']['EventPage'];

let gateway: Gateway;
let notifications: NotificationsProcess;
let ada: Account;
let bob: Account;
let eve: Account;
beforeAll(async () => {
  gateway = await startGateway({
    notificationsUrl: await freeUrl(),
    eventHeartbeatMs: 100,
    maxEventStreams: 3,
    maxRequests: 2,
    // A client that takes nothing is cut after ten times as long.
    stalledMs: 500,
    // The test would time out if a stream held up a stop for this.
    drainMs: 100_000,
  });
  notifications = createNotifications(gateway.config);
  await notifications.start();
  ada = await gateway.openAccount('Ada');
  bob = await gateway.openAccount('Bob');
  eve = await gateway.openAccount('Eve');
}, 120_000);
afterAll(async () => {
  await gateway?.dispose();
  await notifications?.kill();
}, 60_000);

const metrics = async (): Promise<string> => (await fetch(`${gateway.internal}/metrics`)).text();
const open = (who: Account, lastEventId?: string) =>
  openEvents(gateway.base, who, {}, lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId });
const noneOpen = () => eventually(async () => expect(await metrics()).toMatch(/^indelible_gateway_event_streams 0$/m));

describe('the streams of a process', () => {
  it('are shared by accounts, and take no places of requests: over its share an account gets a 503 (I12)', async () => {
    const own = [await open(ada), await open(ada)];
    const refused = await gateway.send(ada, '/events');
    expect(refused).toMatchObject({ status: 503, body: { error: expect.stringContaining('event streams') } });
    expect(refused.headers.get('Retry-After')).toBe('5');
    const other = await open(bob);
    expect((await gateway.send(ada, '/users/me')).status).toBe(200);
    await Promise.all([...own, other].map((client) => client.close()));
    await noneOpen();
    expect(await metrics()).toMatch(/^indelible_gateway_event_streams_ended_total{reason="client"} 3$/m);
  });
});

describe('a key', () => {
  it.each(['revoked', 'expired'])('that is %s ends its open streams, and no others', async (fault) => {
    const { apiKey, id } = await gateway.accounts.createKey({ account: ada.account, name: fault, scopes: ['read'] });
    const client = await open({ ...ada, apiKey });
    const other = await open(bob);
    if (fault === 'revoked') await gateway.accounts.revokeKey(id);
    else await gateway.pool.query('update accounts.api_keys set expires_at = now() where id = $1', [id]);
    expect(await client.ended()).toEqual({ error: 'unauthorized', details: `the API key is ${fault}` });
    await confirmStamps(gateway, bob.account, 1);
    await other.received(2);
    await other.close();
    await noneOpen();
  });
});

describe('notifications', () => {
  it('killed and started again leaves no gap: meanwhile streams have heartbeats, and new ones a 503 or patience', async () => {
    const client = await open(bob);
    await eventually(() => expect(client.lastEventId()).toBeDefined());
    await notifications.kill();
    const stamps = confirmStamps(gateway, bob.account, 3);
    const resumed = await open(bob, client.lastEventId());
    const before = [client.heartbeats(), resumed.heartbeats()] as const;
    await eventually(() => {
      expect(client.heartbeats()).toBeGreaterThan(before[0] + 2);
      expect(resumed.heartbeats()).toBeGreaterThan(before[1] + 2);
    });
    // Nobody follows its log yet: its end is unknown.
    const refused = await gateway.send(eve, '/events');
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '1']);
    expect((await gateway.send(eve, '/events?wait=0')).status).toBe(503);
    await stamps;
    await notifications.start();
    await Promise.all([client.received(6), resumed.received(6)]);
    expect(new Set(client.subjects())).toEqual(new Set(await stamps));
    expect(resumed.events).toEqual(client.events);
    expect(client.events.map(({ id }) => Number(id) - Number(client.events[0]?.id))).toEqual([0, 1, 2, 3, 4, 5]);
    await Promise.all([client.close(), resumed.close()]);
  }, 90_000);
});

describe('a client that takes nothing', () => {
  it('is ended, holds up no other, and gets everything when it connects again (I12)', async () => {
    const slow = await open(ada, '0');
    await slow.received(1);
    slow.pause();
    const other = await open(bob);
    const count = 3_000;
    await confirmStamps(gateway, ada.account, count, 'x'.repeat(250));
    await confirmStamps(gateway, bob.account, 1);
    await other.received(2);
    await eventually(
      async () => expect(await metrics()).toMatch(/^indelible_gateway_event_streams_ended_total{reason="slow"} 1$/m),
      { timeoutMs: 60_000 },
    );
    slow.resume();
    await slow.ended();
    const again = await open(ada, slow.lastEventId());
    await eventually(() => expect(slow.events.length + again.events.length).toBe(1 + 2 * count), {
      timeoutMs: 60_000,
    });
    const positions = [...slow.events, ...again.events].map(({ id }) => Number(id));
    expect(positions).toEqual(Array.from({ length: 1 + 2 * count }, (_, at) => at + 1));
    await Promise.all([again.close(), other.close()]);
  }, 150_000);
});

describe('a gateway that stops', () => {
  it('ends its streams at once, and a client resumes on another replica', async () => {
    const client = await open(ada);
    const { lastEventId } = client;
    await eventually(() => expect(lastEventId()).toBeDefined());
    const replica = await gateway.startReplica();
    const { next } = (await gateway.send<Page>(bob, '/events?wait=0')).body;
    const waiting = gateway.send<Page>(bob, `/events?wait=20&after=${next}`);
    await eventually(async () => expect(await metrics()).toMatch(/^indelible_gateway_event_streams 2$/m));
    await gateway.stopService();
    expect(await client.ended()).toEqual({ error: 'the service restarts', details: expect.any(String) });
    expect((await waiting).body).toEqual({ events: [], next, more: false });
    await confirmStamps(gateway, ada.account, 1);
    const again = await openEvents(replica, ada, {}, { 'Last-Event-ID': lastEventId() as string });
    await again.received(2);
    expect(Number(again.events[0]?.id)).toBe(Number(lastEventId()) + 1);
    await again.close();
  });
});
