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
    // The first has no row, since what becomes of it is not known; those behind it have.
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
