import { newId } from '@indelible/identifiers';
import type { LoggedEvent } from '@indelible/public-events';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { insertRedelivery } from '../../src/tables/redeliveries.ts';
import { findWebhook } from '../../src/tables/webhooks.ts';
import { createLane } from '../../src/webhooks/lane.ts';
import { recordProgress } from '../../src/webhooks/record-results.ts';
import { keptDeliveries, refreshDue, writeProgress } from '../../src/webhooks/write-progress.ts';
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
    // Every tenth of the first 200 waits, until a time that does not come here.
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
    await refreshDue(ports, lane);
    const event = { id: newId(), name: 'stamp.failed' } as LoggedEvent;
    lane.log.append([{ position: keptDeliveries + 100, event, set: '' }], keptDeliveries + 100);
    const attempt = { at: new Date().toISOString(), status: 204, body: '', error: null, durationMs: 1 };
    lane.settle(lane.next(Date.now())!, { attempt, retryAfter: undefined }, Date.now());
    // Trimming comes by chance, once in a thousand deliveries.
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
        const moves = order.map((webhookId) => ({ webhookId, position, failingSince: null }));
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
