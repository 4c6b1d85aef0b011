import { eventually } from '@indelible/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { accountOf, hash } from '../support/messages.ts';
import { createReceivers } from '../support/receiver.ts';
import { createWebhookWorld, type WebhookWorld } from '../support/webhooks.ts';

jest.setTimeout(90_000);
const patience = { timeoutMs: 60_000 };

let world: WebhookWorld;
beforeAll(async () => {
  world = await createWebhookWorld();
}, 60_000);
afterAll(() => world.stop(), 60_000);

const { start: receiver, stop: stopReceivers } = createReceivers();
afterEach(stopReceivers);

describe('the order of a collection', () => {
  it('is kept when the replica that delivers stops while an event is on its way and those behind it wait', async () => {
    const account = accountOf('stopped in order');
    const hung = Promise.withResolvers<{ status: number }>();
    const { url, received } = await receiver(() => (received.length === 1 ? hung.promise : { status: 204 }));
    const { id } = await world.create(account, { url, types: ['stamp.failed'], ordered: true });
    await world.failStamps(account, 70, () => ({ setCid: hash('A') }));
    await world.startDispatcher();
    // The first has no row, since its outcome is unknown; those behind it have.
    await eventually(async () => {
      const { deliveries } = await world.deliveries(account, id, 'status=waiting&limit=100');
      expect(deliveries.length).toBeGreaterThan(60);
    }, patience);
    expect(received).toHaveLength(1);
    await world.stopFirst();
    hung.resolve({ status: 503 });
    await world.startDispatcher();
    await eventually(() => expect(new Set(received.map(({ event }) => event.id)).size).toBe(70), patience);
    const sequences = received.slice(1).map(({ event }) => Number(event.sequence));
    expect([...new Set(sequences)]).toEqual(Array.from({ length: 70 }, (_, at) => at + 1));
  });
});

describe('a collection with an event that its receiver refuses', () => {
  it.each([true, false])(
    'holds up no other collection, however many come after it, and loses none (ordered: %s, I12)',
    async (ordered) => {
      const account = accountOf(`refused ${ordered}`);
      const [busy, other] = [hash('busy'), hash('other')];
      let refuses = true;
      const isRefused = (set: unknown, sequence: string) => refuses && set === busy && (!ordered || sequence === '1');
      const taken: { set: string; sequence: number }[] = [];
      const { url } = await receiver(({ event }) => {
        if (isRefused(event.data.set_cid, event.sequence)) return { status: 500 };
        taken.push({ set: String(event.data.set_cid), sequence: Number(event.sequence) });
        return { status: 204 };
      });
      const sequencesOf = (set: string) => [
        ...new Set(taken.filter((one) => one.set === set).map((one) => one.sequence)),
      ];
      const upTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1);
      const { id } = await world.create(account, { url, types: ['stamp.failed'], ordered });
      const waiting = async (): Promise<number> => {
        const { rows } = await world.server.pool.query<{ count: number }>(
          `select count(*)::int as count from notifications.deliveries where webhook_id = $1 and status = 'waiting'`,
          [id],
        );
        return rows[0]!.count;
      };
      await world.stopFirst();
      // Between two failures of the one a delivery of the other succeeds: no webhook that fails all the time.
      for (let round = 0; round < 6; round++)
        await world.failStamps(account, 100, (at) => ({ setCid: at % 2 === 0 ? busy : other }));
      await world.startDispatcher();
      await eventually(() => expect(sequencesOf(other).toSorted((a, b) => a - b)).toEqual(upTo(300)), patience);
      expect(sequencesOf(busy)).toEqual([]);
      expect(await waiting()).toBeLessThan(300);
      // Another replica continues with what was left.
      await world.stopFirst();
      await world.startDispatcher();
      await world.failStamps(account, 2, (at) => ({ setCid: at % 2 === 0 ? busy : other }));
      await eventually(() => expect(sequencesOf(other)).toContain(301), patience);
      refuses = false;
      await world.passTimeUntil(() => expect(sequencesOf(busy)).toHaveLength(301), patience.timeoutMs);
      if (ordered) expect(sequencesOf(busy)).toEqual(upTo(301));
      else expect(sequencesOf(busy).toSorted((a, b) => a - b)).toEqual(upTo(301));
      await eventually(async () => {
        const { rowCount } = await world.server.pool.query(
          'select from notifications.webhook_backlogs where webhook_id = $1',
          [id],
        );
        expect([rowCount, await waiting()]).toEqual([0, 0]);
      }, patience);
    },
  );
});
