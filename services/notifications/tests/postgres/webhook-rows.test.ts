import { newId } from '@indelible/identifiers';
import type { Client } from '@indelible/postgres';
import type { LoggedEvent } from '@indelible/public-events';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { readDue, readWaiting } from '../../src/tables/deliveries.ts';
import { findRedeliveries, insertRedelivery, type Redelivery } from '../../src/tables/redeliveries.ts';
import { findWebhook } from '../../src/tables/webhooks.ts';
import { createLane, type Lane } from '../../src/webhooks/lane.ts';
import { recordProgress } from '../../src/webhooks/record-results.ts';
import { writeLanes } from '../../src/webhooks/write-lanes.ts';
import { keptDeliveries, refreshDue, writeProgress } from '../../src/webhooks/write-progress.ts';
import { logger } from '../support/database.ts';
import { accountOf } from '../support/messages.ts';
import { createWebhookWorld, type WebhookWorld } from '../support/webhooks.ts';

jest.setTimeout(60_000);

let world: WebhookWorld;
beforeAll(async () => {
  world = await createWebhookWorld({ mostWebhooks: 100 });
}, 60_000);
afterAll(() => world.stop(), 60_000);
afterEach(() => {
  jest.restoreAllMocks();
});

const body = { url: 'https://example.com/', types: ['stamp.failed'] };

describe('deliveries of a webhook', () => {
  it('are kept as documented: the newest 10,000, and all that wait', async () => {
    expect(keptDeliveries).toBe(10_000);
    const account = accountOf('kept');
    const { id } = await world.create(account, body);
    // Every tenth of the first 200 waits, until a time after this test.
    await world.server.pool.query(
      `insert into notifications.deliveries (webhook_id, position, event_id, type, set_cid, status, tries, again, next_attempt_at, attempts)
       select $1, n, gen_random_uuid(), 'stamp.failed', '', case when n <= 200 and n % 10 = 0 then 'waiting' else 'delivered' end,
         1, false, case when n <= 200 and n % 10 = 0 then now() + interval '1 day' end, '[]'
       from generate_series(1, $2::int) as n`,
      [id, keptDeliveries + 99],
    );
    const webhook = await findWebhook(world.database, account, id);
    const lane = createLane({ ...webhook!, position: keptDeliveries + 99 }, undefined);
    const ports = { database: world.database, now: Date.now };
    await refreshDue(ports, [lane]);
    const event = { id: newId(), name: 'stamp.failed' } as LoggedEvent;
    lane.log.append([{ position: keptDeliveries + 100, event, set: '' }], keptDeliveries + 100);
    const attempt = { at: new Date().toISOString(), status: 204, body: '', error: null, durationMs: 1 };
    lane.settle(lane.next(Date.now())!, { attempt, retryAfter: undefined }, Date.now());
    // Trimming is random, about once per thousand deliveries.
    jest.spyOn(Math, 'random').mockReturnValue(0);
    await writeProgress(ports, [lane]);

    const { rows } = await world.server.pool.query<{ status: string; count: number; first: number; last: number }>(
      `select status, count(*)::int, min(position)::int as first, max(position)::int as last
       from notifications.deliveries where webhook_id = $1 group by status order by status`,
      [id],
    );
    // Ten of the 20 that wait are older than the newest 10,000, and ten are among them.
    expect(rows).toEqual([
      { status: 'delivered', count: keptDeliveries - 10, first: 101, last: keptDeliveries + 100 },
      { status: 'waiting', count: 20, first: 10, last: 200 },
    ]);
  });
});

describe('positions of webhooks', () => {
  it('are written by two at once, whatever their order, and neither waits for the other in a circle', async () => {
    const account = accountOf('moves');
    const ids: string[] = [];
    for (let at = 0; at < 60; at++) ids.push((await world.create(account, body)).id);
    const far = {
      position: 0,
      untilPosition: 1_000,
      types: null,
      since: new Date(0),
      until: null,
      requestedAt: new Date(0),
    };
    await world.database.transaction(async (client) => {
      for (const webhookId of ids) await insertRedelivery(client, { webhookId, ...far });
    });
    const move = async (order: readonly string[]): Promise<void> => {
      for (let position = 1; position <= 100; position++) {
        const moves = order.map((webhookId) => ({ ...far, webhookId, position, failingSince: null }));
        await recordProgress(world.database, { results: [], moves, redeliveries: moves });
      }
    };
    await Promise.all([move(ids), move(ids.toReversed())]);
    const { rows } = await world.server.pool.query(
      `select distinct w.position::int, r.position::int as redelivered
       from notifications.webhooks w join notifications.redeliveries r using (webhook_id) where webhook_id = any($1)`,
      [ids],
    );
    expect(rows).toEqual([{ position: 100, redelivered: 100 }]);
  });
});

describe('results of webhooks', () => {
  it('that a table does not take hold up those of no other webhook (I12)', async () => {
    const account = accountOf('unstorable');
    const lanes: Lane[] = [];
    for (const text of ['fine', 'half of a \ud83d', 'fine as well']) {
      const { id } = await world.create(account, body);
      const lane = createLane((await findWebhook(world.database, account, id))!, undefined);
      await refreshDue({ database: world.database, now: Date.now }, [lane]);
      const { position } = lane.webhook;
      const event = { id: newId(), name: 'stamp.failed' } as LoggedEvent;
      lane.log.append([{ position: position + 1, event, set: '' }], position + 1);
      const attempt = { at: new Date().toISOString(), status: 500, body: text, error: null, durationMs: 1 };
      lane.settle(lane.next(Date.now())!, { attempt, retryAfter: undefined }, Date.now());
      lanes.push(lane);
    }
    const ports = { database: world.database, now: Date.now, logger, onDisabled() {} };
    await writeLanes(ports, lanes);
    const attempts = await Promise.all(
      lanes.map(
        async ({ webhook: { webhookId } }) => (await world.deliveries(account, webhookId)).deliveries[0]?.attempts[0],
      ),
    );
    expect(attempts).toMatchObject([
      { http_status: 500, body: 'fine', error: null },
      { http_status: 500, body: null, error: 'internal: the answer could not be stored' },
      { http_status: 500, body: 'fine as well', error: null },
    ]);
    expect(lanes.map((lane) => lane.unwritten())).toEqual([[], [], []]);
  });
});

describe('a redelivery', () => {
  it('that is requested as the one before it ends is done, and not moved by what is written of that one', async () => {
    const account = accountOf('redelivery after another');
    const { id: webhookId } = await world.create(account, body);
    const webhook = (await findWebhook(world.database, account, webhookId))!;
    const former = { webhookId, types: null, since: new Date(0), until: null, ...{ position: 0, untilPosition: 10 } };
    const [first, second] = [1, 2].map((at) => ({ ...former, requestedAt: new Date(at) })) as [Redelivery, Redelivery];
    const insert = (one: Redelivery) => world.database.transaction((client) => insertRedelivery(client, one));
    expect(await insert(first)).toBe(true);
    const lane = createLane(webhook, first);
    lane.redelivery()!.track.append([], 10);
    const ports = { database: world.database, now: Date.now };
    // The next is requested, and announced, after the first's end is in the table, before the lane knows.
    const racing = {
      ...world.database,
      transaction: async <Result>(work: (client: Client) => Promise<Result>): Promise<Result> => {
        const result = await world.database.transaction(work);
        expect(await insert(second)).toBe(true);
        lane.startRedelivery(second);
        return result;
      },
    };
    await writeProgress({ ...ports, database: racing }, [lane]);
    expect(lane.redelivery()?.redelivery).toEqual(second);
    // As a late former leader may.
    await recordProgress(world.database, { results: [], moves: [], redeliveries: [{ ...first, position: 10 }] });
    expect((await findRedeliveries(world.database, [webhookId])).get(webhookId)).toEqual(second);
  });
});

describe('what waits', () => {
  it('is read of many webhooks at once, of each in its order', async () => {
    const account = accountOf('many that wait');
    const ids: string[] = [];
    for (const ordered of [true, false]) ids.push((await world.create(account, { ...body, ordered })).id);
    await world.failStamps(account, 3);
    await world.server.pool.query(
      `insert into notifications.deliveries (webhook_id, position, event_id, type, set_cid, status, tries, again, next_attempt_at, attempts)
       select w, n, gen_random_uuid(), 'stamp.failed', '\\x01', 'waiting', 1, false, now() - n * interval '1 s', '[]'
       from unnest($1::uuid[]) as w, generate_series(1, 3) as n`,
      [ids],
    );
    const queries = ids.map((webhookId, at) => ({
      webhookId,
      account,
      ordered: at === 0,
      except: at === 0 ? [] : [2],
    }));
    const due = await readDue(world.database, queries, 16);
    expect(ids.map((id) => due.get(id)?.map(({ position }) => position))).toEqual([[1], [3, 1]]);
    const waiting = await readWaiting(world.database, ids);
    expect(ids.map((id) => waiting.get(id))).toEqual(
      ids.map(() => ({ total: 3, sets: new Map([['0x01', 3]]), oldest: expect.any(Date), last: 3 })),
    );
  });
});
