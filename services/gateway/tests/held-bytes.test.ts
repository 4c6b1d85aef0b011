import { connect, type Socket } from 'node:net';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Account, formOf, type Gateway, startGateway } from './gateway-harness.ts';

const megabyte = 2 ** 20;
let gateway: Gateway;
let ada: Account;
let bob: Account;
beforeAll(async () => {
  gateway = await startGateway({ maxHeldBytes: 4 * megabyte, maxDataBytes: megabyte, stalledMs: 60_000 });
  ada = await gateway.openAccount();
  bob = await gateway.openAccount('Bob');
  gateway.stamping.confirmAll();
}, 120_000);
afterAll(() => gateway.dispose(), 60_000);

const held = async (): Promise<number> =>
  Number(/^indelible_gateway_held_bytes (\d+)$/m.exec(await (await fetch(`${gateway.internal}/metrics`)).text())?.[1]);
/** Begins a request and stalls. */
function standStill(head: string, body: Buffer): Socket {
  const socket = connect(Number(new URL(gateway.base).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write(`${head}\r\nHost: x\r\nAuthorization: Bearer ${ada.apiKey}\r\n\r\n`);
  socket.write(body);
  return socket;
}
const stamp = (who: Account, text: string) =>
  gateway.send(who, '/stamps', { method: 'POST', body: formOf({ data: text, store_stamped_file: '0' }) });

describe('the memory for bodies (I12)', () => {
  it.each<[string, string, Buffer]>([
    [
      'inline data, as it comes',
      'POST /api/v1/stamps HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1040000',
      // Six of them stay below one account's share, and each stalls in its body.
      Buffer.from(`data=${'x'.repeat(300_000)}`),
    ],
    [
      'JSON, by what its Content-Length says',
      `POST /api/v1/collections HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: ${megabyte}`,
      Buffer.from('{'),
    ],
  ])(
    'is shared: %s of one account leaves the others their part, and is free again afterwards',
    async (_what, head, body) => {
      const standing = Array.from({ length: 6 }, () => standStill(head, body));
      await eventually(async () => expect(await held()).toBeGreaterThan(1.5 * megabyte), {
        timeoutMs: 25_000,
      });
      const answers = await Promise.all([stamp(ada, 'x'.repeat(megabyte / 2)), stamp(bob, 'y'.repeat(megabyte / 2))]);
      expect(answers[0]).toMatchObject({ status: 503, body: { error: expect.stringContaining('bytes') } });
      expect(answers[0]?.headers.get('Retry-After')).toBe('1');
      expect(answers[1]?.status).toBe(201);
      for (const socket of standing) socket.destroy();
      await eventually(async () => expect(await held()).toBe(0));
      expect((await stamp(ada, 'z'.repeat(megabyte / 2))).status).toBe(201);
    },
  );
});
