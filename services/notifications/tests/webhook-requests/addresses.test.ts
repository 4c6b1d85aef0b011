import { request as httpRequest } from 'node:http';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { parseNetworks } from '../../src/webhook-requests/addresses.ts';
import { createCheckedAgents } from '../../src/webhook-requests/checked-agents.ts';
import { type AddressLookup, createNameServerLookup } from '../../src/webhook-requests/checked-lookup.ts';
import { faultOfWebhookUrl } from '../../src/webhook-requests/webhook-url.ts';
import { nameServer } from '../support/name-server.ts';
import { clientOf, closeClients } from '../support/send.ts';
import { httpReceiver, listening, type Receiver } from '../support/tls-receiver.ts';

const blocked = { fault: 'blocked-address', message: 'the URL must lead to a public address' };
const stops: (() => Promise<void>)[] = [];
/** A service of ours that a webhook must not reach. */
let internal: Receiver;

beforeEach(async () => {
  internal = await httpReceiver((_request, response) => response.writeHead(200).end('secret'));
  stops.push(internal.stop);
});
afterEach(async () => {
  await closeClients();
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

describe('an address that is not public', () => {
  it.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    'localhost',
    'a.localhost.',
    '0.0.0.0',
    '[::1]',
  ])('is not connected to as %s', async (host) => {
    const client = clientOf({ allowLoopbackHttp: false });
    expect(await client.send(`https://${host}:${internal.port}/`)).toMatchObject(blocked);
    expect(internal.connections()).toBe(0);
  });

  it.each([
    [['127.0.0.1']],
    [['10.1.2.3']],
    [['169.254.169.254']],
    [['100.100.100.200']],
    [['::1']],
    [['::ffff:127.0.0.1']],
    [['64:ff9b::7f00:1']],
    [['fd00:ec2::254']],
    [['8.8.8.8', '127.0.0.1']],
    [['127.0.0.1', '2606:4700:4700::1111']],
    [[...Array<string>(20).fill('8.8.8.8'), '127.0.0.1']],
    [['not an address']],
  ])('is not connected to by a name that has %j', async (addresses) => {
    const client = clientOf({ allowLoopbackHttp: false, lookup: async () => addresses });
    expect(await client.send(`https://hooks.example:${internal.port}/`)).toMatchObject(blocked);
    expect(internal.connections()).toBe(0);
  });

  it('is not connected to in a network that the operator denies, by name, by number, or mapped', async () => {
    const { networks } = parseNetworks(['8.8.8.0/24', '2606:4700::/32']);
    const denied = { allowLoopbackHttp: false, deniedNetworks: networks };
    for (const address of ['8.8.8.8', '2606:4700:4700::1111', '::ffff:8.8.8.8']) {
      const client = clientOf({ ...denied, lookup: async () => [address] });
      expect(await client.send(`https://hooks.example:${internal.port}/`)).toMatchObject(blocked);
    }
    for (const host of ['8.8.8.8', '0x08080808', '[2606:4700:4700::1111]'])
      expect(await clientOf(denied).send(`https://${host}:${internal.port}/`)).toMatchObject(blocked);
    expect(faultOfWebhookUrl('https://8.8.9.8/', denied)).toBeUndefined();
    expect(internal.connections()).toBe(0);
  });

  it('is not connected to by http, which a local start has for this machine alone', async () => {
    const client = clientOf({ lookup: async () => ['10.1.2.3'] });
    expect(await client.send(`https://hooks.example:${internal.port}/`)).toMatchObject(blocked);
    expect(await client.send('http://hooks.example/')).toMatchObject({ fault: 'blocked-address' });
    expect(await client.send('http://8.8.8.8/')).toMatchObject({ fault: 'blocked-address' });
  });

  it('gets not a byte, also where nothing was looked up', async () => {
    let received = 0;
    const silent = await listening(createServer((socket) => socket.on('data', ({ length }) => (received += length))));
    stops.push(silent.stop);
    const agents = createCheckedAgents(async () => [], { allowLoopbackHttp: false });
    const request = httpRequest({ agent: agents.http, host: '127.0.0.1', port: silent.port, method: 'POST' });
    const fault = new Promise((resolve) => request.once('error', resolve));
    request.end('secret');
    expect(await fault).toMatchObject({ kind: 'blocked-address' });
    await silent.stop();
    expect(received).toBe(0);
  });
});

describe('a name', () => {
  it('without addresses, or that cannot be resolved, is a fault', async () => {
    for (const lookup of [async () => [], () => Promise.reject(new Error('ENOTFOUND'))] as AddressLookup[])
      expect(await clientOf({ lookup }).send('https://hooks.example/')).toMatchObject({
        fault: 'unresolvable',
        message: 'the host name has no address',
      });
  });

  it('is looked up once for a connection: rebinding it afterwards changes nothing', async () => {
    const lookup = jest.fn<AddressLookup>().mockResolvedValueOnce(['127.0.0.1']).mockResolvedValue(['10.1.2.3']);
    const receiver = await httpReceiver((_request, response) => response.writeHead(204, { connection: 'close' }).end());
    stops.push(receiver.stop);
    const client = clientOf({ lookup, ca: '' });
    // by TLS to a plain receiver: the connection was opened to the first answer, and to no other
    expect(await client.send(`https://hooks.example:${receiver.port}/`)).toMatchObject({ fault: 'tls' });
    expect([receiver.connections(), lookup.mock.calls.length]).toEqual([1, 1]);
    expect(await client.send(`https://hooks.example:${receiver.port}/`)).toMatchObject(blocked);
    expect([receiver.connections(), lookup.mock.calls.length]).toEqual([1, 2]);
  });
});

describe('the name servers', () => {
  it('are queried for both families, once for a connection; every address counts', async () => {
    const answers: Record<string, readonly string[]> = {
      'first.example 4': ['127.0.0.1'],
      'mixed.example 4': ['127.0.0.1'],
      'mixed.example 6': ['fd00::1'],
    };
    const server = await nameServer((name, family) => answers[`${name} ${family}`] ?? []);
    stops.push(server.stop);
    const resolver = createNameServerLookup([server.address]);
    const client = clientOf({ lookup: resolver.lookup });
    expect(await client.send(`https://first.example:${internal.port}/`)).toMatchObject({ fault: 'tls' });
    expect([internal.connections(), server.queries()]).toEqual([1, 2]);
    expect(await client.send(`https://mixed.example:${internal.port}/`)).toMatchObject(blocked);
    expect(await client.send(`https://none.example:${internal.port}/`)).toMatchObject({ fault: 'unresolvable' });
    expect(internal.connections()).toBe(1);
    expect(await resolver.lookup('mixed.example')).toEqual(['127.0.0.1', 'fd00::1']);
  });

  it('that do not answer for one name do not hold up another (I12)', async () => {
    const server = await nameServer((name, family) => {
      if (name === 'dead.example') return undefined;
      return family === 4 ? ['127.0.0.1'] : [];
    });
    stops.push(server.stop);
    const resolver = createNameServerLookup([server.address]);
    const client = clientOf({ lookup: resolver.lookup });
    const stopping = new AbortController();
    const held = Array.from({ length: 20 }, () => client.send('https://dead.example/', stopping.signal));
    expect(await client.send(`https://live.example:${internal.port}/`)).toMatchObject({ fault: 'tls' });
    stopping.abort();
    resolver.cancel();
    for (const outcome of await Promise.allSettled(held)) expect(outcome.status).toBe('rejected');
  });
});
