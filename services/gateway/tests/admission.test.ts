import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { cidOfContent } from '@indelible/identifiers';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Account, type AnyBody, formOf, type Gateway, startGateway } from './gateway-harness.ts';

let gateway: Gateway;
let ada: Account;
let bob: Account;
beforeAll(async () => {
  gateway = await startGateway({ maxRequests: 2, maxConnections: 6 });
  ada = await gateway.openAccount();
  bob = await gateway.openAccount('Bob');
}, 120_000);
afterAll(() => gateway.dispose(), 60_000);

const port = (): number => Number(new URL(gateway.base).port);
/** Sends a head alone and answers all that comes until the server closes. */
async function raw(head: string): Promise<string> {
  const socket: Socket = connect(port(), '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk.toString();
  });
  socket.on('end', () => socket.end());
  socket.write(head);
  await once(socket, 'close');
  return answer;
}
const metrics = async (): Promise<string> => (await fetch(`${gateway.internal}/metrics`)).text();
const stampHead = (token: string): string =>
  `POST /api/v1/stamps HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000000\r\nExpect: 100-continue\r\n\r\n`;

/** Refused at once: without reading the key or requesting the body. */
function expectRefused(answer: string): void {
  expect(answer).toMatch(/^HTTP\/1\.1 503 /);
  expect(answer).toMatch(/\r\nRetry-After: \d+\r\n/i);
  expect(answer).toMatch(/\r\nConnection: close\r\n/i);
  expect((JSON.parse(answer.split('\r\n\r\n').at(-1) as string) as AnyBody).error).toContain('too many requests');
}

describe('what one process takes on', () => {
  it('is a bounded number of requests: one more is a 503 before its key or body is looked at', async () => {
    const released = Promise.withResolvers<void>();
    gateway.stamping.script(async (command) => {
      await released.promise;
      await gateway.stamping.accept(command);
      await gateway.stamping.confirm(command);
    });
    const post = (who: Account, text: string) =>
      gateway.send(who, '/stamps', { method: 'POST', body: formOf({ data_cid: cidOfContent(text) }) });
    const first = post(ada, 'a');
    await eventually(async () => expect(gateway.stamping.commands).toHaveLength(1));
    // A second request of the same account exceeds its share; the free room is for others (I12).
    const refused = await post(ada, 'again');
    expect(refused).toMatchObject({ status: 503, body: { error: expect.stringContaining('this account') } });
    expect(refused.headers.get('Retry-After')).toBe('1');
    const under = [first, post(bob, 'b')];
    await eventually(async () => expect(gateway.stamping.commands).toHaveLength(2));
    expectRefused(await raw(stampHead('nonsense')));
    expect(await metrics()).toContain('indelible_gateway_refused_requests_total{bound="requests"} 1');
    released.resolve();
    expect((await Promise.all(under)).map(({ status }) => status)).toEqual([201, 201]);
    expect((await gateway.send(ada, '/users/me')).status).toBe(200);
  });

  it('is a bounded number of connections: one more is answered 503, and room comes back', async () => {
    const idle = Array.from({ length: 6 }, () => connect(port(), '127.0.0.1'));
    await Promise.all(idle.map((socket) => once(socket, 'connect')));
    await eventually(async () => expect(await metrics()).toMatch(/indelible_gateway_connections [6-9]/));
    expectRefused(await raw(stampHead(ada.apiKey)));
    expect(await metrics()).toContain('indelible_gateway_refused_requests_total{bound="connections"} 1');
    for (const socket of idle) socket.destroy();
    await eventually(async () => expect((await gateway.send(ada, '/users/me')).status).toBe(200));
  });
});

describe('a client that disconnects while its stamp is in flight', () => {
  it('frees its waiting place; the stamp continues', async () => {
    const other = await startGateway();
    try {
      const eve = await other.openAccount('Eve');
      const size = async (): Promise<number> =>
        Number(
          /^indelible_gateway_waiting_requests (\d+)$/m.exec(
            await (await fetch(`${other.internal}/metrics`)).text(),
          )?.[1],
        );
      other.stamping.script(async () => {});
      const leaving = new AbortController();
      const sending = other.send(eve, '/stamps', {
        method: 'POST',
        body: formOf({ data_cid: cidOfContent('left alone') }),
        signal: leaving.signal,
      });
      await eventually(async () => expect(other.stamping.commands).toHaveLength(1));
      expect(await size()).toBe(1);
      leaving.abort();
      await expect(sending).rejects.toThrow();
      await eventually(async () => expect(await size()).toBe(0));
      const [command] = other.stamping.commands;
      if (command === undefined) throw new Error('no command');
      await other.stamping.accept(command);
      await other.stamping.confirm(command);
      await eventually(async () =>
        expect((await other.send(eve, `/stamps/${command.requestId}`)).body).toMatchObject({ status: 'confirmed' }),
      );
    } finally {
      await other.dispose();
    }
  }, 60_000);
});
