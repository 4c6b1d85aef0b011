import { readdir } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { cidOfCollectionName, cidOfContent, type Hex } from '@indelible/identifiers';
import type { Receipt } from '@indelible/messages';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Account, chainId, type Gateway, startGateway } from './gateway-harness.ts';
import { type Matching, startMatchingStandIn } from './matching-stand-in.ts';

/** No limit applies here: only the client's disconnect. An account may have two of the three places. */
const patient = { maxRequests: 3, stalledMs: 600_000, waitLimitMs: 600_000 };

let gateway: Gateway;
let verifying: Gateway;
let matching: Awaited<ReturnType<typeof startMatchingStandIn>>;
let ada: Account;
let eve: Account;
beforeAll(async () => {
  matching = await startMatchingStandIn(chainId);
  [gateway, verifying] = await Promise.all([
    startGateway(patient),
    startGateway({ ...patient, verificationUrl: matching.url, indexerUrl: matching.url }),
  ]);
  [ada, eve] = await Promise.all([gateway.openAccount(), verifying.openAccount('Eve')]);
  await gateway.stamping.registerCollection(ada.account, 'Photos');
  await eventually(async () => expect((await gateway.send(ada, '/collections')).body).toHaveLength(1));
}, 120_000);
afterAll(async () => {
  await Promise.all([gateway.dispose(), verifying.dispose()]);
  await matching.close();
}, 60_000);
beforeEach(() => {
  gateway.stamping.script(async () => {});
  gateway.stamping.scriptUploads(async () => {});
});

const content = 'content of somebody who leaves';
const receipt = (account: Hex): Receipt => ({
  transactionHash: `0x${'ab'.repeat(32)}`,
  logIndex: 0,
  blockNumber: 7,
  blockHash: `0x${'bb'.repeat(32)}`,
  blockTime: 1_795_230_245,
  chainId,
  account,
  setCid: cidOfCollectionName('Photos'),
  objectCid: cidOfContent(content),
});

const part = (name: string, file?: string): string =>
  `--B\r\nContent-Disposition: form-data; name="${name}"${file === undefined ? '' : `; filename="${file}"`}\r\n\r\n`;
const multipart = 'multipart/form-data; boundary=B';
const objects = JSON.stringify({ objects: [{ cid: cidOfContent('x'), timestamp: '2023-11-14 22:13:20+00:00' }] });
type Sent = { readonly path: string; readonly type: string; readonly body: string; readonly headers?: string };
const requests: Readonly<Record<string, () => readonly [Gateway, Account, Sent]>> = {
  'POST /stamps with a file': () => [
    gateway,
    ada,
    { path: '/stamps', type: multipart, body: `${part('file', 'a.txt')}${content}\r\n--B--\r\n` },
  ],
  'POST /stamps/upload-stamped-file': () => [
    gateway,
    ada,
    {
      path: '/stamps/upload-stamped-file',
      type: multipart,
      body: `${part('collection_name')}Photos\r\n${part('file', 'a.txt')}${content}\r\n--B--\r\n`,
    },
  ],
  'POST /collections/verify with JSON': () => [
    verifying,
    eve,
    { path: '/collections/verify', type: 'application/json', body: objects },
  ],
  'POST /collections/verify with a file': () => [
    verifying,
    eve,
    {
      path: '/collections/verify',
      type: multipart,
      body: `${part('file', 'a.json')}${objects}\r\n--B--\r\n`,
    },
  ],
};

/** Sends a request, or a part of it, and holds the connection. */
function open(of: Gateway, who: Account, { path, type, body, headers = '' }: Sent, bytes = body.length): Socket {
  const socket = connect(Number(new URL(of.base).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write(
    `POST /api/v1${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${who.apiKey}\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n${headers}\r\n`,
  );
  socket.write(body.slice(0, bytes));
  return socket;
}
/** Holds a place with part of a request: retries while refused, since a poll may have the place. */
function hold(...request: Parameters<typeof open>): { destroy(): void } {
  let socket: Socket;
  const send = (): void => {
    socket = open(...request);
    socket.once('data', () => {
      socket.destroy();
      send();
    });
  };
  send();
  return { destroy: () => void socket.removeAllListeners('data').destroy() };
}
const staged = async (): Promise<number> =>
  (await readdir(gateway.directory, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).length;
async function metric(of: Gateway, name: string): Promise<number> {
  const text = await (await fetch(`${of.internal}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
}
const seatIsFree = async (of: Gateway, who: Account): Promise<boolean> =>
  (await of.send(who, '/users/me')).status === 200;

describe('a client that leaves (I12)', () => {
  it.each(Object.keys(requests))(
    'with half of a body sent gives back its places at once, and nothing stays staged: %s',
    async (what) => {
      const [of, who, sent] = (requests[what] as () => readonly [Gateway, Account, Sent])();
      const sockets = [1, 2].map(() => hold(of, who, sent, sent.body.length - 20));
      await eventually(async () => expect(await seatIsFree(of, who)).toBe(false));
      for (const socket of sockets) socket.destroy();
      await eventually(async () => expect(await seatIsFree(of, who)).toBe(true));
      expect(await metric(of, 'indelible_gateway_held_bytes')).toBe(0);
      expect(await metric(of, 'indelible_gateway_waiting_requests')).toBe(0);
      await eventually(async () => expect(await staged()).toBe(0));
    },
  );

  it.each([
    ['POST /stamps with a file', () => gateway.stamping.commands],
    ['POST /stamps/upload-stamped-file', () => gateway.stamping.uploadCommands],
  ])('while its outcome is waited for gives back its waiting place at once: %s', async (what, commands) => {
    gateway.neighbours.answerLookups(200, { receipts: [receipt(ada.account)] });
    const before = commands().length;
    const socket = open(...(requests[what] as () => readonly [Gateway, Account, Sent])());
    await eventually(() => expect(commands()).toHaveLength(before + 1));
    expect(await metric(gateway, 'indelible_gateway_waiting_requests')).toBe(1);
    socket.destroy();
    await eventually(async () => expect(await metric(gateway, 'indelible_gateway_waiting_requests')).toBe(0));
  });

  it.each(['POST /collections/verify with JSON', 'POST /collections/verify with a file'])(
    'while its turn is waited for leaves it at once: %s',
    async (what) => {
      const [of, who, sent] = (requests[what] as () => readonly [Gateway, Account, Sent])();
      const begun = new Promise<Matching>((resolve) => matching.script(async (come) => resolve(come)));
      const socket = open(of, who, sent);
      const inner = await begun;
      await inner.lines();
      socket.destroy();
      // It had sent all.
      expect(await inner.closed).toBe(false);
      await eventually(async () => expect(await seatIsFree(of, who)).toBe(true));
    },
  );

  it('under an Idempotency-Key while another with the same key is ahead gives back its waiting place', async () => {
    const body = `data_cid=${cidOfContent('keyed')}`;
    const sent: Sent = {
      ...{ path: '/stamps', type: 'application/x-www-form-urlencoded', body },
      headers: 'Idempotency-Key: of one who leaves\r\n',
    };
    const before = gateway.stamping.commands.length;
    const ahead = open(gateway, ada, sent);
    await eventually(() => expect(gateway.stamping.commands).toHaveLength(before + 1));
    const behind = open(gateway, ada, sent);
    await eventually(async () => expect(await metric(gateway, 'indelible_gateway_waiting_requests')).toBe(2));
    behind.destroy();
    await eventually(async () => expect(await metric(gateway, 'indelible_gateway_waiting_requests')).toBe(1));
    const [command] = gateway.stamping.commands.slice(-1);
    if (command === undefined) throw new Error('no command');
    await gateway.stamping.accept(command);
    await gateway.stamping.confirm(command);
    await eventually(async () => expect(await metric(gateway, 'indelible_gateway_waiting_requests')).toBe(0));
    ahead.destroy();
  });
});
