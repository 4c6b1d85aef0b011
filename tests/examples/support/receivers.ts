import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { eventually } from '@indelible/testing';
import { createWebhookClient, newWebhookSecret, signedHeaders } from '@indelible/webhook-requests';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

/** A receiver as a process of its own, with what it wrote on stdout. */
type Receiver = { readonly child: ChildProcess; readonly url: string; readonly lines: readonly string[] };

const secret = newWebhookSecret();
const eventOf = (id: string) =>
  JSON.stringify({ specversion: '1.0', id, type: 'com.indelible.stamp.confirmed.v1', subject: 'ü' });
const handled = (id: string) => `handled com.indelible.stamp.confirmed.v1 ${id} of ü`;

/** What every receiver among the examples does: the same tests for each language. */
export function describeReceiver(language: string, program: () => string, args: readonly string[]): void {
  describe(`the webhook receiver in ${language}`, () => {
    const client = createWebhookClient({ allowLoopbackHttp: true });
    let folder: string;
    let receiver: Receiver;

    const start = async (): Promise<Receiver> => {
      const child = spawn(program(), args, {
        env: { ...process.env, WEBHOOK_SECRET: secret, DATABASE: join(folder, 'inbox.db'), PORT: '0' },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const lines: string[] = [];
      createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => lines.push(line));
      const url = await eventually(() => {
        const listening = lines.find((line) => line.startsWith('listening on '));
        if (listening === undefined) throw new Error(`no receiver: ${child.exitCode}`);
        return `${listening.slice('listening on '.length)}/`;
      });
      return { child, url, lines };
    };
    const stop = async ({ child }: Receiver) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    };
    const post = async (body: string, headers: Record<string, string>) => {
      const outcome = await client.send({
        url: receiver.url,
        headers: { 'content-type': 'application/json', ...headers },
        body,
        signal: AbortSignal.timeout(20_000),
      });
      return 'status' in outcome ? outcome.status : outcome;
    };
    const deliver = (id: string) => post(eventOf(id), signedHeaders(id, new Date(), eventOf(id), [secret]));

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'indelible-receiver-'));
    });
    beforeEach(async () => {
      receiver = await start();
    });
    afterEach(() => stop(receiver));
    afterAll(async () => {
      await client.close();
      await rm(folder, { recursive: true, force: true });
    });

    it('takes what is signed, also while two secrets sign, and handles a repeat once (I5)', async () => {
      expect(await deliver('e1')).toBe(204);
      expect(await deliver('e1')).toBe(204);
      const rotating = signedHeaders('e2', new Date(), eventOf('e2'), [newWebhookSecret(), secret]);
      expect(await post(eventOf('e2'), rotating)).toBe(204);
      await eventually(() => expect(receiver.lines).toContain(handled('e2')));
      expect(receiver.lines.slice(1)).toEqual([handled('e1'), handled('e2')]);
    });

    it('refuses a body, an id or a time that was changed, another secret, and no signature', async () => {
      const body = eventOf('e3');
      const headers = signedHeaders('e3', new Date(), body, [secret]);
      const hourAgo = new Date(Date.now() - 3_600_000);
      for (const [sent, given] of [
        [`${body} `, headers],
        [body, { ...headers, 'webhook-id': 'e4' }],
        [body, { ...headers, 'webhook-timestamp': String(Math.floor(Date.now() / 1000) - 10) }],
        [body, signedHeaders('e3', hourAgo, body, [secret])],
        [body, signedHeaders('e3', new Date(), body, [newWebhookSecret()])],
        [body, { ...headers, 'webhook-signature': 'nonsense' }],
        [body, {}],
      ] as const)
        expect(await post(sent, given)).toBe(400);
      expect(await deliver('e5')).toBe(204);
      await eventually(() => expect(receiver.lines).toContain(handled('e5')));
      expect(receiver.lines).not.toContain(handled('e3'));
      expect(receiver.lines).not.toContain(handled('e4'));
    });

    it('knows after a crash what it has handled (I5)', async () => {
      expect(await deliver('e6')).toBe(204);
      await eventually(() => expect(receiver.lines).toContain(handled('e6')));
      // Marked as handled with the next event: only then is the one before surely in the database.
      expect(await deliver('e7')).toBe(204);
      await eventually(() => expect(receiver.lines).toContain(handled('e7')));
      await stop(receiver);
      receiver = await start();
      expect(await deliver('e6')).toBe(204);
      expect(await deliver('e8')).toBe(204);
      await eventually(() => expect(receiver.lines).toContain(handled('e8')));
      expect(receiver.lines).not.toContain(handled('e6'));
    });
  });
}
