import type { ServerOptions } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { clientOf, closeClients } from '../support/send.ts';
import { certificateFor, httpReceiver, httpsReceiver, type Receiver } from '../support/tls-receiver.ts';

const host = 'hooks.example';
const lookup = async () => ['127.0.0.1'];
let certificate: { key: string; cert: string };
const receivers: Receiver[] = [];

beforeAll(async () => {
  certificate = await certificateFor(host);
});
afterEach(async () => {
  await closeClients();
  await Promise.all(receivers.splice(0).map((receiver) => receiver.stop()));
});

async function receiverOf(options: ServerOptions) {
  const seen: { host: string | undefined; name: unknown }[] = [];
  const receiver = await httpsReceiver((request, response) => {
    seen.push({ host: request.headers.host, name: (request.socket as TLSSocket).servername });
    response.writeHead(204).end();
  }, options);
  receivers.push(receiver);
  return { port: receiver.port, seen, connections: receiver.connections };
}

describe('a receiver with TLS', () => {
  it('is reached at the checked address under its own name, in the certificate, SNI and Host', async () => {
    const { port, seen } = await receiverOf(certificate);
    const client = clientOf({ ca: certificate.cert, lookup });
    expect(await client.send(`https://${host}:${port}/`)).toMatchObject({ status: 204 });
    expect(seen).toEqual([{ host: `${host}:${port}`, name: host }]);
  });

  it('without a certificate that we trust gets no request', async () => {
    const { port, seen } = await receiverOf(certificate);
    expect(await clientOf({ lookup }).send(`https://${host}:${port}/`)).toMatchObject({
      fault: 'tls',
      message: expect.stringContaining('self-signed certificate'),
    });
    expect(seen).toEqual([]);
  });

  it('with a certificate of another name, or one that has expired, gets no request', async () => {
    const { port, seen } = await receiverOf(certificate);
    const client = clientOf({ ca: certificate.cert, lookup });
    expect(await client.send(`https://other.example:${port}/`)).toMatchObject({ fault: 'tls' });
    expect(await client.send(`https://127.0.0.1:${port}/`)).toMatchObject({ fault: 'tls' });
    const expired = await certificateFor(host, new Date(Date.now() - 1_000));
    const old = await receiverOf(expired);
    expect(await clientOf({ ca: expired.cert, lookup }).send(`https://${host}:${old.port}/`)).toMatchObject({
      fault: 'tls',
      message: 'certificate has expired',
    });
    expect([...seen, ...old.seen]).toEqual([]);
  });

  it('with TLS 1.1 at most gets no request', async () => {
    const outdated = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    const { port, seen } = await receiverOf({ ...certificate, ...outdated });
    const client = clientOf({ ca: certificate.cert, lookup });
    expect(await client.send(`https://${host}:${port}/`)).toMatchObject({ fault: 'tls' });
    expect(seen).toEqual([]);
  });

  it('that speaks plain HTTP gets nothing to read', async () => {
    const receiver = await httpReceiver((_request, response) => response.writeHead(200).end());
    receivers.push(receiver);
    const fault = await clientOf({ lookup }).send(`https://${host}:${receiver.port}/`);
    expect(fault).toMatchObject({ fault: 'tls', message: 'wrong version number' });
  });
});
