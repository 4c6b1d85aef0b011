import type { Hex } from '@indelible/identifiers';
import { WebhookTest } from '@indelible/public-events';
import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { start, webhookOf } from '../../tests/support/lanes.ts';
import { createWebhookTest } from './test-webhook.ts';

const origin = { source: 'indelible/tests', publicUrl: 'https://api.example.com' };
const owner: Hex = '0x5fbdb2315678afecb367f032d93f642f64180aa3';
const webhookId = '0198f2c4-7b1e-7c3a-9d52-6e0f8a1b2c3d';
const sealer = { open: () => `whsec_${Buffer.alloc(32, 1).toString('base64')}` };
const answer = { status: 204, body: '', durationMs: 1 };

describe('the test of a webhook', () => {
  it('sends data that fits the schema of its event', async () => {
    const bodies: string[] = [];
    const client = {
      send: async ({ body }: { body: string }) => {
        bodies.push(body);
        return answer;
      },
    };
    const test = createWebhookTest({ client, sealer, origin, now: () => start });
    await test(webhookOf({ webhookId, account: owner }), new AbortController().signal);
    const fits = new Ajv({ strict: true, allErrors: true }).compile(WebhookTest.schema);
    const { data } = JSON.parse(bodies[0] as string) as { data: object };
    expect([fits(data), fits.errors]).toEqual([true, null]);
    expect(fits({ ...data, webhook_id: 7 })).toBe(false);
  });

  it('is possible for an account whatever receivers of others hang (I12)', async () => {
    const hung = Promise.withResolvers<typeof answer>();
    const client = {
      send: ({ url }: { url: string }) => (url.includes('hung') ? hung.promise : Promise.resolve(answer)),
    };
    const test = createWebhookTest({ client, sealer, origin, now: () => start });
    const { signal } = new AbortController();
    const started: Promise<unknown>[] = [];
    const refused: unknown[] = [];
    for (let at = 0; at < 1_000; at++) {
      const webhook = webhookOf({ webhookId: `w${at}`, account: owner, url: 'https://hung.example.com/' });
      started.push(test(webhook, signal).catch((error: unknown) => refused.push(error)));
    }
    const { attempt } = await test(webhookOf({ webhookId: 'other', account: `0x${'02'.repeat(20)}` }), signal);
    expect(attempt.status).toBe(204);
    hung.resolve(answer);
    await Promise.all(started);
    expect(refused.length).toBeGreaterThan(900);
    expect(refused[0]).toMatchObject({ message: 'too many tests are under way' });
    expect(await test(webhookOf({ webhookId: 'w0', account: owner }), signal)).toMatchObject({
      attempt: { status: 204 },
    });
  });
});
