import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '@indelible/identifiers';
import { eventually, fixedPort } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { newWebhookSecret, signedHeaders } from '../../../services/notifications/src/webhook-requests/signatures.ts';
import { createWebhookClient } from '../../../services/notifications/src/webhook-requests/webhook-client.ts';
import { account, confirmed, stampOf } from '../../../services/notifications/tests/support/messages.ts';
import {
  createSurroundings,
  distinct,
  type Surroundings,
} from '../../../services/notifications/tests/support/notifications.ts';
import type { ShownDelivery } from '../../../services/notifications/tests/support/webhooks.ts';
import { type ReceiverProcess, startReceiverProcess } from './receiver-process.ts';

const patience = { timeoutMs: 60_000 };

/** The behaviour of every example receiver: the same tests for each language, with a webhook of the real service. */
export function describeReceiver(language: string, program: () => string, args: readonly string[]): void {
  jest.setTimeout(180_000);

  describe(`the webhook receiver in ${language}`, () => {
    let world: Surroundings;
    let folder: string;
    let port: string;
    let webhook: { readonly id: string; readonly url: string; readonly secret: string };
    let receiver: ReceiverProcess;

    const start = (secret: string): Promise<ReceiverProcess> =>
      startReceiverProcess(program(), args, {
        ...{ WEBHOOK_SECRET: secret, DATABASE: join(folder, 'inbox.db'), PORT: port },
      });
    const restart = async (secret: string): Promise<void> => {
      await receiver.stop();
      receiver = await start(secret);
    };
    async function ask<Body>(method: string, path: string, body?: object): Promise<Body> {
      const response = await fetch(`${world.url()}/internal/webhooks${path}?account=${account}`, {
        method,
        ...(body === undefined ? {} : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
      });
      expect(response.ok).toBe(true);
      return (await response.json()) as Body;
    }
    const deliveryOf = async (eventId: string): Promise<ShownDelivery | undefined> =>
      (await ask<{ deliveries: readonly ShownDelivery[] }>('GET', `/${webhook.id}/deliveries`)).deliveries.find(
        ({ id }) => id === eventId,
      );
    /** Until the service got these responses to an event, the last of them a 2xx. */
    const answered = (eventId: string, statuses: readonly number[]) =>
      eventually(async () => {
        const { status, attempts = [] } = (await deliveryOf(eventId)) ?? {};
        expect([status, attempts.map(({ http_status }) => http_status)]).toEqual(['delivered', statuses]);
      }, patience);

    /** Confirms a stamp. @returns its two events, as on the public topic */
    async function confirmOne(): Promise<readonly { readonly id: string; readonly handled: string }[]> {
      const stamp = stampOf({ collectionName: 'Wälder', clientRef: '✓' });
      await world.publish(confirmed(newId(), stamp));
      const own = () => distinct(world.records).filter(({ headers }) => headers.ce_subject === stamp.stampId);
      await eventually(() => expect(own()).toHaveLength(2), patience);
      return own().map(({ headers: { ce_id: id = '', ce_type: type } }) => ({
        ...{ id, handled: `handled ${type} ${id} of ${stamp.stampId}` },
      }));
    }
    const handledTimes = (line: string): number => receiver.lines.filter((each) => each === line).length;
    const expectHandled = (events: readonly { readonly handled: string }[]) =>
      eventually(() => {
        for (const { handled } of events) expect([handled, handledTimes(handled)]).toEqual([handled, 1]);
      }, patience);

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'indelible-receiver-'));
      world = await createSurroundings();
      await world.start();
      port = String(await fixedPort());
      webhook = await ask('POST', '', {
        ...{ url: `http://127.0.0.1:${port}/`, types: ['stamp.submitted', 'stamp.confirmed'], ordered: true },
      });
      receiver = await start(webhook.secret);
      expect(webhook.url).toBe(receiver.url);
    }, 120_000);
    afterAll(async () => {
      await receiver?.stop();
      await world?.stop();
      await rm(folder, { recursive: true, force: true });
    }, 60_000);

    it('takes what the service sends and handles it; a redelivery comes, and is not handled again (I5)', async () => {
      const events = await confirmOne();
      await expectHandled(events);
      for (const { id } of events) {
        await answered(id, [204]);
        await ask('POST', `/${webhook.id}/deliveries/${id}/redeliver`);
        await answered(id, [204, 204]);
      }
      await expectHandled([...events, ...(await confirmOne())]);
    });

    it('takes a test event', async () => {
      const { event, delivered } = await ask<{
        event: { id: string; type: string; subject: string };
        delivered: boolean;
      }>('POST', `/${webhook.id}/test`);
      expect(delivered).toBe(true);
      await expectHandled([{ handled: `handled ${event.type} ${event.id} of ${event.subject}` }]);
    });

    it('knows after a crash what it has handled (I5)', async () => {
      const [first, second] = await confirmOne();
      // Marked as handled with the next event: only then is the one before surely in the database.
      await expectHandled([first!, second!]);
      await restart(webhook.secret);
      await answered(first!.id, [204]);
      await ask('POST', `/${webhook.id}/deliveries/${first!.id}/redeliver`);
      await answered(first!.id, [204, 204]);
      await expectHandled(await confirmOne());
      expect(handledTimes(first!.handled)).toBe(0);
    });

    it('takes events with the former secret and with the new one while a rotation overlaps; refuses all with another', async () => {
      const { secret } = await ask<{ secret: string }>('POST', `/${webhook.id}/rotate-secret`);
      expect(secret).not.toBe(webhook.secret);
      await expectHandled(await confirmOne());
      await restart(newWebhookSecret());
      const [event] = await confirmOne();
      await eventually(async () => {
        expect((await deliveryOf(event!.id))?.attempts.at(-1)?.http_status).toBe(400);
      }, patience);
      expect(handledTimes(event!.handled)).toBe(0);
      await restart(secret);
      await expectHandled([event!]);
    });

    it('refuses a body, an id or a time that was changed, another secret, and no signature', async () => {
      await restart(webhook.secret);
      const client = createWebhookClient({ allowLoopbackHttp: true });
      const post = async (body: string, headers: Record<string, string>) => {
        const outcome = await client.send({
          url: receiver.url,
          headers: { 'content-type': 'application/json', ...headers },
          body,
          signal: AbortSignal.timeout(20_000),
        });
        return 'status' in outcome ? outcome.status : outcome;
      };
      const signed = (id: string, at: Date, secret: string) => signedHeaders(id, at, body, [secret]);
      const body = JSON.stringify({
        specversion: '1.0',
        id: 'e1',
        type: 'com.indelible.stamp.confirmed.v1',
        subject: 'ü',
      });
      const headers = signed('e1', new Date(), webhook.secret);
      for (const [sent, given] of [
        [`${body} `, headers],
        [body, { ...headers, 'webhook-id': 'e2' }],
        [body, { ...headers, 'webhook-timestamp': String(Math.floor(Date.now() / 1000) - 10) }],
        [body, signed('e1', new Date(Date.now() - 3_600_000), webhook.secret)],
        [body, signed('e1', new Date(), newWebhookSecret())],
        [body, { ...headers, 'webhook-signature': 'nonsense' }],
        [body, {}],
      ] as const)
        expect(await post(sent, given)).toBe(400);
      expect(await post(body, headers)).toBe(204);
      const handled = 'handled com.indelible.stamp.confirmed.v1 e1 of ü';
      await expectHandled([{ handled }]);
      await client.close();
    });
  });
}
