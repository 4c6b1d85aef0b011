import { cidOfCollectionName } from '@indelible/identifiers';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { components } from '../src/api/generated/openapi.ts';
import { openEvents, type Received } from './event-client.ts';
import { confirmStamps } from './event-stamps.ts';
import { type Account, type Gateway, startGateway } from './gateway-harness.ts';
import { createNotifications, freeUrl, type NotificationsProcess } from './notifications-process.ts';

type Page = components['schemas']['EventPage'];

let gateway: Gateway;
let notifications: NotificationsProcess;
/** A replica without events in memory: each client reads the log itself. */
let withoutRing: string;
beforeAll(async () => {
  gateway = await startGateway({ notificationsUrl: await freeUrl(), eventHeartbeatMs: 200 });
  notifications = createNotifications(gateway.config);
  await notifications.start();
  withoutRing = await gateway.startReplica({ eventBufferBytes: 0 });
}, 120_000);
afterAll(async () => {
  await gateway?.dispose();
  await notifications?.kill();
}, 60_000);

const openAccount = async (name: string): Promise<Account> => {
  const account = await gateway.openAccount(name);
  // Its first event: account.opened.
  await eventually(async () => expect((await pageOf(account)).events).toHaveLength(1));
  return account;
};
const pageOf = async (who: Account, query: Readonly<Record<string, string>> = {}): Promise<Page> => {
  const { status, body } = await gateway.send<Page>(who, `/events?${new URLSearchParams({ wait: '0', ...query })}`);
  expect(status).toBe(200);
  return body;
};
async function allOf(who: Account, query: Readonly<Record<string, string>> = {}): Promise<Page['events']> {
  const events: Page['events'] = [];
  for (let after = '0', more = true; more; ) {
    const page = await pageOf(who, { after, ...query });
    events.push(...page.events);
    ({ next: after, more } = page);
  }
  return events;
}
const idsOf = (events: readonly { readonly id: string }[]): string[] => events.map(({ id }) => id);
const received = (events: readonly Received[]): string[] => idsOf(events.map(({ event }) => event));

describe('a stream of events', () => {
  it('has what happens from its opening on, in order, as the pages have it', async () => {
    const ada = await openAccount('Ada');
    await confirmStamps(gateway, ada.account, 1);
    await eventually(async () => expect(await allOf(ada)).toHaveLength(3));
    const client = await openEvents(gateway.base, ada);
    expect(client.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-request-id': expect.any(String),
    });
    const [stampId] = await confirmStamps(gateway, ada.account, 1, 'Forest');
    await client.received(2);
    expect(client.events.map(({ id, name, event }) => [id, name, event.type, event.subject])).toEqual([
      ['4', 'stamp.submitted', 'com.indelible.stamp.submitted.v1', stampId],
      ['5', 'stamp.confirmed', 'com.indelible.stamp.confirmed.v1', stampId],
    ]);
    expect(client.events.map(({ event }) => event)).toEqual((await allOf(ada)).slice(3));
    expect(client.events[1]?.event.data).toMatchObject({ collection_name: 'Forest', stamp_id: stampId });
    await client.close();
  });

  it('begins with its retry time and position, so that a client without any event can resume', async () => {
    const ada = await openAccount('Early');
    const first = await openEvents(gateway.base, ada);
    await eventually(() => expect([first.lastEventId(), first.retry()]).toEqual(['1', expect.any(Number)]));
    await first.close();
    await confirmStamps(gateway, ada.account, 1);
    const second = await openEvents(gateway.base, ada, {}, { 'Last-Event-ID': first.lastEventId() as string });
    await second.received(2);
    expect(received(second.events)).toEqual(idsOf((await allOf(ada)).slice(1)));
    await second.close();
  });

  it.each(['the ring', 'the log'])(
    'resumes at every point from %s, while events come, without gap or repeat',
    async (source) => {
      const ada = await openAccount(`Resumes ${source}`);
      const base = source === 'the ring' ? gateway.base : withoutRing;
      await confirmStamps(gateway, ada.account, 5, 'Before');
      await eventually(async () => expect(await allOf(ada)).toHaveLength(11));
      const watching = await openEvents(base, ada);
      const opened = Array.from({ length: 12 }, (_, after) =>
        openEvents(base, ada, {}, { 'Last-Event-ID': String(after) }),
      );
      const coming = confirmStamps(gateway, ada.account, 60, 'Meanwhile');
      const clients = await Promise.all(opened);
      await coming;
      await Promise.all(clients.map((client, after) => client.received(131 - after)));
      const all = idsOf(await allOf(ada));
      expect(all).toHaveLength(131);
      for (const [after, client] of clients.entries())
        expect([after, received(client.events)]).toEqual([after, all.slice(after)]);
      for (const client of clients)
        expect(client.events.map(({ id }) => Number(id))).toEqual(
          Array.from({ length: client.events.length }, (_, at) => 131 - client.events.length + at + 1),
        );
      await watching.received(120);
      expect(received(watching.events)).toEqual(all.slice(11));
      await Promise.all([...clients, watching].map((client) => client.close()));
    },
  );

  it('resumes by the query for clients that cannot set headers; the header takes precedence', async () => {
    const ada = await openAccount('Query');
    await confirmStamps(gateway, ada.account, 2);
    await eventually(async () => expect(await allOf(ada)).toHaveLength(5));
    const all = idsOf(await allOf(ada));
    const byQuery = await openEvents(gateway.base, ada, { after: '2' });
    const byHeader = await openEvents(gateway.base, ada, { after: '2' }, { 'Last-Event-ID': '4' });
    await Promise.all([byQuery.received(3), byHeader.received(1)]);
    expect([received(byQuery.events), received(byHeader.events)]).toEqual([all.slice(2), all.slice(4)]);
    await Promise.all([byQuery.close(), byHeader.close()]);
  });

  it('begins at a time', async () => {
    const ada = await openAccount('Since');
    await confirmStamps(gateway, ada.account, 1);
    await eventually(async () => expect(await allOf(ada)).toHaveLength(3));
    const { rows } = await gateway.pool.query<{ now: Date }>('select clock_timestamp() as now');
    await confirmStamps(gateway, ada.account, 1);
    const since = rows[0]?.now.toISOString() ?? '';
    const client = await openEvents(gateway.base, ada, { since });
    await client.received(2);
    const all = idsOf(await allOf(ada));
    expect(received(client.events)).toEqual(all.slice(3));
    expect(idsOf((await pageOf(ada, { since })).events)).toEqual(all.slice(3));
    await client.close();
  });

  it('has the events of its filter, and its heartbeats move past the others', async () => {
    const ada = await openAccount('Filters');
    const forest = cidOfCollectionName('Forest');
    const clients = await Promise.all([
      openEvents(gateway.base, ada, { types: 'stamp.confirmed', collections: forest }),
      openEvents(gateway.base, ada, { types: 'stamp.confirmed,stamp.submitted', after: '0' }),
      openEvents(gateway.base, ada, { collections: forest.toUpperCase().replace('X', 'x'), after: '0' }),
      openEvents(gateway.base, ada, { types: 'stamp.failed' }),
    ]);
    const [inForest] = await confirmStamps(gateway, ada.account, 1, 'Forest');
    await eventually(async () => expect(await allOf(ada)).toHaveLength(3));
    const [inSea] = await confirmStamps(gateway, ada.account, 1, 'Sea');
    const [one, two, three, none] = clients;
    await Promise.all([one.received(1), two.received(4), three.received(2)]);
    for (const client of clients) await eventually(() => expect(client.lastEventId()).toBe('5'));
    expect(one.subjects()).toEqual([inForest]);
    expect(two.subjects()).toEqual([inForest, inForest, inSea, inSea]);
    expect(three.subjects()).toEqual([inForest, inForest]);
    expect(none.subjects()).toEqual([]);
    await Promise.all(clients.map((client) => client.close()));
  });

  it('shows by heartbeats that it lives, though nothing happens', async () => {
    const ada = await openAccount('Quiet');
    const client = await openEvents(gateway.base, ada);
    await eventually(() => expect(client.heartbeats()).toBeGreaterThan(2));
    expect(client.events).toEqual([]);
    await client.close();
  });

  it('has nothing of another account', async () => {
    const [ada, eve] = [await openAccount('One'), await openAccount('Other')];
    const client = await openEvents(gateway.base, eve, { after: '0' });
    await confirmStamps(gateway, ada.account, 1);
    const [own] = await confirmStamps(gateway, eve.account, 1);
    await client.received(3);
    expect(client.events.map(({ event }) => event.subject.toLowerCase())).toEqual([eve.account, own, own]);
    expect((await gateway.send(ada, '/events?wait=0')).status).toBe(200);
    await client.close();
  });

  it('is only headers for HEAD', async () => {
    const ada = await openAccount('Head');
    for (const query of ['', '?after=0']) {
      const response = await fetch(`${gateway.base}/events${query}`, {
        method: 'HEAD',
        headers: { Authorization: `Bearer ${ada.apiKey}` },
      });
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
      expect(await response.text()).toBe('');
    }
  });
});

describe('pages of events', () => {
  it('go on where the one before ended, from the first event on', async () => {
    const ada = await openAccount('Pages');
    await confirmStamps(gateway, ada.account, 12);
    await eventually(async () => expect(await allOf(ada)).toHaveLength(25));
    const all = await allOf(ada);
    expect(await allOf(ada, { limit: '7' })).toEqual(all);
    expect(all.map(({ sequence, subject }) => [subject, sequence]).slice(0, 1)).toEqual([[expect.any(String), '1']]);
    expect(await pageOf(ada, { after: '25' })).toEqual({ events: [], next: '25', more: false });
    expect((await pageOf(ada, { limit: '3', types: 'stamp.confirmed' })).events.map(({ type }) => type)).toEqual(
      Array.from({ length: 3 }, () => 'com.indelible.stamp.confirmed.v1'),
    );
  });

  it('are what a client gets that accepts JSON alone', async () => {
    const ada = await openAccount('Accepts');
    const { status, body } = await gateway.send<Page>(ada, '/events', { headers: { Accept: 'application/json' } });
    expect([status, body]).toEqual([200, { events: [expect.anything()], next: '1', more: false }]);
  });

  it('wait for an event that is wanted, and come back empty when there is none', async () => {
    const ada = await openAccount('Waits');
    const waiting = pageOf(ada, { after: '1', wait: '20', collections: cidOfCollectionName('Forest') });
    await eventually(async () =>
      expect(await (await fetch(`${gateway.internal}/metrics`)).text()).toMatch(/^indelible_gateway_event_streams 1$/m),
    );
    await confirmStamps(gateway, ada.account, 1, 'Sea');
    const [wanted] = await confirmStamps(gateway, ada.account, 1, 'Forest');
    expect((await waiting).events[0]).toMatchObject({ subject: wanted });
    const { next } = await pageOf(ada, { after: '1', limit: '1000' });
    expect(await pageOf(ada, { after: '5', wait: '1' })).toEqual({ events: [], next: '5', more: false });
    expect(next).toBe('5');
  });
});

describe('a request for events', () => {
  it.each([
    ['types=stamp.lost', /^types/],
    ['types=', /^types/],
    ['collections=0x12', /^collections/],
    ['since=yesterday', /^since/],
    ['since=2026-02-30T25:00:00Z', /^since/],
    ['since=2026-01-01T00:00:00Z&after=1', /^since/],
    ['after=x', /^after/],
    ['after=9999999999999999', /^after/],
    ['limit=3', /^limit/],
    ['wait=0&limit=1001', /^limit/],
    ['wait=21', /^wait/],
    ['wait=0&wait=1', /^wait/],
    ['cursor=1', /cursor/],
  ])('with %s is a 400 that names it', async (query, named) => {
    const { status, body } = await gateway.send(await ada(), `/events?${query}`);
    expect([status, body.error]).toEqual([400, expect.stringMatching(named)]);
  });

  it('with a Last-Event-ID that is none is a 400 that names it', async () => {
    const headers = { 'Last-Event-ID': 'x1' };
    const { status, body } = await gateway.send(await ada(), '/events', { headers });
    expect([status, body.error]).toEqual([400, expect.stringMatching(/last-event-id/i)]);
  });

  it('needs a key with the scope read', async () => {
    const owner = await ada();
    const { apiKey } = await gateway.accounts.createKey({ account: owner.account, name: 'stamp', scopes: ['stamp'] });
    expect((await gateway.send({ ...owner, apiKey }, '/events')).status).toBe(403);
    expect((await gateway.send(undefined, '/events')).status).toBe(401);
  });

  let one: Promise<Account> | undefined;
  const ada = (): Promise<Account> => {
    one ??= openAccount('Asks');
    return one;
  };
});
