import { setTimeout as delay } from 'node:timers/promises';
import type { Hex } from '@indelible/identifiers';
import { WebhookDisabled } from '@indelible/public-events';
import { eventually } from '@indelible/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Ajv } from 'ajv';
import { accountOf, hash } from '../support/messages.ts';
import { createReceivers, isSignedBy, isVerified } from '../support/receiver.ts';
import { createWebhookWorld, type WebhookWorld } from '../support/webhooks.ts';

jest.setTimeout(60_000);
const patience = { timeoutMs: 30_000 };
const minute = 60_000;
const day = 24 * 60 * minute;

let world: WebhookWorld;
beforeAll(async () => {
  world = await createWebhookWorld();
  await world.startDispatcher();
}, 60_000);
afterAll(() => world.stop(), 60_000);

const { start: receiver, stop: stopReceivers } = createReceivers();
afterEach(stopReceivers);

const webhook = async (account: Hex, id: string) => (await world.ask(account, 'GET', `/${id}`)).body;
const deliveries = (account: Hex, id: string, query = '') => world.deliveries(account, id, query);

describe('as time passes, a webhook', () => {
  it('is signed by both secrets for a day after a rotation, then by the new one alone', async () => {
    const account = accountOf('rotation');
    const { url, received } = await receiver();
    const { id, secret: former } = await world.create(account, { url, types: ['stamp.failed'] });
    const { secret } = (await world.ask<{ secret: string }>(account, 'POST', `/${id}/rotate-secret`)).body;
    expect(secret).not.toBe(former);
    const next = async () => {
      const before = received.length;
      await world.failStamps(account, 1);
      await eventually(() => expect(received.length).toBeGreaterThan(before), patience);
      return received[before]!;
    };
    // The dispatcher gets the new secret a moment after its owner.
    await eventually(async () => {
      const delivered = await next();
      expect([former, secret].map((one) => isVerified(delivered, one))).toEqual([true, true]);
    }, patience);
    world.passMs(day + minute);
    const later = await next();
    expect([former, secret].map((one) => isSignedBy(later, one))).toEqual([false, true]);
    expect(later.headers['webhook-signature']?.toString().split(' ')).toHaveLength(1);
  });

  it('is signed by every secret of its last day, up to six, however often it is rotated', async () => {
    const account = accountOf('rotated twice');
    const { url, received } = await receiver();
    const { id, secret } = await world.create(account, { url, types: ['stamp.failed'] });
    const secrets = [secret];
    const rotate = () => world.ask<{ secret: string; details: string }>(account, 'POST', `/${id}/rotate-secret`);
    const signedBy = async () => {
      const before = received.length;
      await world.failStamps(account, 1);
      await eventually(() => expect(received.length).toBeGreaterThan(before), patience);
      return secrets.map((one) => isSignedBy(received[before]!, one));
    };
    for (let rotations = 0; rotations < 5; rotations++) {
      secrets.push((await rotate()).body.secret);
      world.passMs(10 * minute);
      await eventually(async () => expect(await signedBy()).toEqual(secrets.map(() => true)), patience);
    }
    const refused = await rotate();
    expect(refused).toMatchObject({ status: 409, body: { error: 'too many secrets' } });
    const possibleAt = Date.parse(/from (\S+) on$/.exec(refused.body.details)?.[1] ?? '');
    const { updated_at: rotatedAt } = await webhook(account, id);
    expect(possibleAt - Date.parse(String(rotatedAt))).toBeLessThan(day - 30 * minute);
    // Five minutes after the day of the first, five before that of the second.
    world.passMs(day - 45 * minute);
    await eventually(async () => expect(await signedBy()).toEqual([false, true, true, true, true, true]), patience);
    secrets.push((await rotate()).body.secret);
    await eventually(
      async () => expect(await signedBy()).toEqual([false, true, true, true, true, true, true]),
      patience,
    );
  });

  it('that is down gets everything when it is up again, under the ids it would have had (I11)', async () => {
    const account = accountOf('down, then up');
    let isUp = false;
    const { url, received } = await receiver(() => ({ status: isUp ? 204 : 500 }));
    const { id } = await world.create(account, { url, types: ['stamp.failed'] });
    const stamps = await world.failStamps(account, 30);
    await eventually(async () => {
      const { deliveries: waiting } = await deliveries(account, id, 'status=waiting');
      expect(waiting.length).toBeGreaterThan(2);
      expect(waiting[0]).toMatchObject({ attempts: [{ http_status: 500 }], next_attempt_at: expect.any(String) });
    }, patience);
    const failed = new Set(received.map(({ event }) => event.id));
    isUp = true;
    await world.passTimeUntil(async () => {
      expect((await deliveries(account, id, 'status=delivered')).deliveries).toHaveLength(30);
    }, patience.timeoutMs);
    const delivered = await deliveries(account, id, 'status=delivered');
    expect(new Set(received.map(({ event }) => event.subject))).toEqual(new Set(stamps));
    expect(delivered.deliveries.map((one) => one.id)).toEqual(expect.arrayContaining([...failed]));
    expect((await webhook(account, id)).failing_since).toBeNull();
  });

  it('in order gets the events of a collection one after another, and others meanwhile', async () => {
    const account = accountOf('in order');
    const refused = new Set<string>();
    const under = new Map<string, number>();
    let most = 0;
    const { url, received } = await receiver(async ({ event }) => {
      const set = String(event.data.set_cid);
      under.set(set, (under.get(set) ?? 0) + 1);
      most = Math.max(most, under.get(set) ?? 0);
      await delay(2);
      under.set(set, (under.get(set) ?? 0) - 1);
      return { status: refused.has(event.subject) ? 503 : 204 };
    });
    const { id } = await world.create(account, { url, types: ['stamp.failed'], ordered: true });
    const sets = ['A', 'B', 'C'].map(hash);
    const stamps = await world.failStamps(account, 60, (at) => ({ setCid: sets[at % 3] as Hex }));
    refused.add(stamps[3] as string);
    await eventually(() => expect(new Set(received.map(({ event }) => event.subject)).size).toBe(42), patience);
    await eventually(async () => {
      const { deliveries: waiting } = await deliveries(account, id, 'status=waiting');
      expect(waiting).toHaveLength(19);
      expect(waiting.filter(({ attempts }) => attempts.length > 0)).toHaveLength(1);
    }, patience);
    refused.clear();
    const allReceived = () => expect(new Set(received.map(({ event }) => event.subject)).size).toBe(60);
    await world.passTimeUntil(allReceived, patience.timeoutMs);
    for (const set of sets) {
      const own = received.filter(({ event }) => event.data.set_cid === set).map(({ event }) => Number(event.sequence));
      expect([...new Set(own)]).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
    }
    expect(most).toBe(1);
  });

  it('is disabled after five days in which something failed and nothing succeeded', async () => {
    const account = accountOf('failing');
    const { url, received } = await receiver(() => ({ status: 500 }));
    const other = await receiver();
    const { id } = await world.create(account, { url, types: ['stamp.failed'] });
    await world.create(account, { url: other.url, types: ['webhook.disabled'] });
    await world.failStamps(account, 1);
    await eventually(async () => expect((await webhook(account, id)).failing_since).not.toBeNull(), patience);
    const before = received.length;
    world.passMs(4.9 * day);
    await eventually(() => expect(received.length).toBeGreaterThan(before), patience);
    expect((await webhook(account, id)).status).toBe('enabled');
    world.passMs(0.2 * day);
    await world.failStamps(account, 1);
    await eventually(async () => {
      expect(await webhook(account, id)).toMatchObject({ status: 'disabled', disabled_reason: 'failing' });
    }, patience);
    await eventually(() => expect(other.names()).toEqual(['webhook.disabled']), patience);
    const { subject, data } = other.received[0]!.event;
    expect([subject, data.webhook_id, data.reason]).toEqual([id, id, 'failing']);
    const fits = new Ajv({ strict: true, allErrors: true }).compile(WebhookDisabled.schema);
    expect([fits(data), fits.errors]).toEqual([true, null]);
  });
});
