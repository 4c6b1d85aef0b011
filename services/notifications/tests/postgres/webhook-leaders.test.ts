import type { Hex } from '@indelible/identifiers';
import { eventually } from '@indelible/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createDispatch } from '../../src/webhooks/dispatch.ts';
import { accountOf, hash } from '../support/messages.ts';
import { createReceivers } from '../support/receiver.ts';
import { createWebhookWorld, type WebhookWorld } from '../support/webhooks.ts';

jest.setTimeout(90_000);
const patience = { timeoutMs: 60_000 };

let world: WebhookWorld;
beforeAll(async () => {
  world = await createWebhookWorld();
  // Every position that a webhook has had.
  await world.server.pool.query(`
    create table moves (at bigserial, webhook_id uuid, position bigint);
    create function note_move() returns trigger language plpgsql as $$ begin
      insert into public.moves (webhook_id, position) values (new.webhook_id, new.position);
      return null;
    end $$;
    create trigger note_move after update on notifications.webhooks for each row execute function note_move();
  `);
}, 60_000);
afterAll(() => world.stop(), 60_000);

const { start: receiver, stop: stopReceivers } = createReceivers();
const leading: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of leading.splice(0)) await stop();
  await stopReceivers();
});

/** A leader that was stopped for so long that another leads, and does not know it. */
function lead(faults: unknown[] = []) {
  const { database, ...ports } = world.dispatchPorts;
  const stopping = new AbortController();
  const dispatch = createDispatch({
    ...ports,
    database: {
      query: database.query,
      transaction: (work) =>
        database.transaction(work).catch((error: Error) => {
          faults.push(error);
          throw error;
        }),
    },
  });
  const running = dispatch.run(stopping.signal);
  const stop = async (): Promise<void> => {
    stopping.abort();
    await running;
  };
  leading.push(stop);
  return { hearGrown: () => dispatch.hearGrown(undefined), stop };
}

const stateOf = async (id: string) => {
  const { rows } = await world.server.pool.query<{ behind: number; statuses: Record<string, number> }>(
    `select (select position from notifications.accounts where account = w.account) - position as behind,
       (select jsonb_object_agg(status, count) from (
          select status, count(*) from notifications.deliveries where webhook_id = w.webhook_id group by status) as d) as statuses
     from notifications.webhooks w where webhook_id = $1`,
    [id],
  );
  return rows[0];
};
const positionsOf = async (id: string): Promise<number[]> =>
  (await world.server.pool.query('select position from moves where webhook_id = $1 order by at', [id])).rows.map(
    ({ position }) => Number(position),
  );

describe('two dispatchers that both lead', () => {
  it.each([false, true])('deliver every event, and no position goes back (ordered: %s)', async (ordered) => {
    const account = accountOf(`two leaders ${ordered}`);
    const refused = new Set<string>();
    /** Received by each receiver: collection and sequence. */
    const taken: { set: string; subject: string; sequence: number }[][] = [];
    const ids: string[] = [];
    for (let at = 0; at < 6; at++) {
      const own: (typeof taken)[number] = [];
      const { url } = await receiver(({ event }) => {
        if (refused.has(event.subject)) return { status: 503 };
        own.push({ set: String(event.data.set_cid), subject: event.subject, sequence: Number(event.sequence) });
        return { status: 204 };
      });
      taken.push(own);
      ids.push((await world.create(account, { url, types: ['stamp.failed'], ordered })).id);
    }
    const sets = ['A', 'B', 'C'].map(hash);
    const faults: unknown[] = [];
    const leaders = [lead(faults), lead(faults)];
    const failStamps = async (count: number): Promise<string[]> => {
      const stamps = await world.failStamps(account, count, (at) => ({ setCid: sets[at % 3] as Hex }));
      for (const leader of leaders) leader.hearGrown();
      return stamps;
    };
    // Of the collection A, which is held up by it where events are in order.
    const [first = ''] = await world.failStamps(account, 1, () => ({ setCid: sets[0] as Hex }));
    refused.add(first);
    const stamps = [first, ...(await failStamps(60)), ...(await failStamps(60))];
    const missing = (own: readonly { subject: string }[], wanted: readonly string[]) => {
      const subjects = new Set(own.map(({ subject }) => subject));
      return wanted.filter((stamp) => !subjects.has(stamp));
    };
    const free = stamps.slice(1).filter((_, at) => !ordered || at % 3 !== 0);
    await eventually(() => expect(taken.map((own) => missing(own, free))).toEqual(ids.map(() => [])), patience);
    refused.clear();
    const allTaken = () => expect(taken.map((own) => missing(own, stamps))).toEqual(ids.map(() => []));
    await world.passTimeUntil(allTaken, patience.timeoutMs);
    const settled = { behind: 0, statuses: { delivered: stamps.length } };
    await eventually(async () => expect(await Promise.all(ids.map(stateOf))).toEqual(ids.map(() => settled)), patience);
    for (const leader of leaders) await leader.stop();

    expect(faults).toEqual([]);
    for (const [at, id] of ids.entries()) {
      expect(await stateOf(id)).toEqual(settled);
      const positions = await positionsOf(id);
      expect(positions).toEqual(positions.toSorted((one, other) => one - other));
      if (ordered)
        for (const set of sets) {
          const sequences = taken[at]!.filter((one) => one.set === set).map(({ sequence }) => sequence);
          expect([...new Set(sequences)]).toEqual([...new Set(sequences)].toSorted((one, other) => one - other));
        }
    }
  });

  it('agree on what was delivered: what the former one notes late takes nothing back', async () => {
    const account = accountOf('late note');
    const hung = Promise.withResolvers<{ status: number }>();
    const { url, received } = await receiver(() => (received.length === 1 ? hung.promise : { status: 204 }));
    const { id } = await world.create(account, { url, types: ['stamp.failed'] });
    const former = lead();
    await world.failStamps(account, 1);
    former.hearGrown();
    await eventually(() => expect(received).toHaveLength(1), patience);
    lead();
    const delivered = { behind: 0, statuses: { delivered: 1 } };
    await eventually(async () => expect(await stateOf(id)).toEqual(delivered), patience);
    hung.resolve({ status: 503 });
    await former.stop();
    expect(await stateOf(id)).toEqual(delivered);
    expect((await world.deliveries(account, id)).deliveries).toMatchObject([
      { status: 'delivered', next_attempt_at: null, attempts: [{ http_status: 204 }, { http_status: 503 }] },
    ]);
  });
});
