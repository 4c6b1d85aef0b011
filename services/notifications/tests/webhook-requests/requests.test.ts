import { once } from 'node:events';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { body, clientOf, closeClients } from '../support/send.ts';
import { httpReceiver, type Receiver } from '../support/tls-receiver.ts';

const receivers: Receiver[] = [];
afterEach(async () => {
  await closeClients();
  await Promise.all(receivers.splice(0).map((receiver) => receiver.stop()));
});

type Seen = { readonly line: string; readonly headers: IncomingHttpHeaders; readonly body: string };

/** A receiver that reads each request and answers by `respond`. */
async function receiverOf(respond: (response: ServerResponse, seen: Seen) => void) {
  const seen: Seen[] = [];
  const receiver = await httpReceiver(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, url, headers } = request;
    seen.push({ line: `${method} ${url}`, headers, body: Buffer.concat(chunks).toString() });
    respond(response, seen.at(-1) as Seen);
  });
  receivers.push(receiver);
  return { ...receiver, seen, url: `http://127.0.0.1:${receiver.port}` };
}

describe('a request', () => {
  it('is a POST of the exact body, with our headers beside those given', async () => {
    const { seen, url, port } = await receiverOf((response) => response.writeHead(204).end());
    expect(await clientOf().send(`${url}/hook/ü?a=b%20c`)).toEqual({
      status: 204,
      body: '',
      durationMs: expect.any(Number),
    });
    expect(seen).toEqual([
      {
        line: 'POST /hook/%C3%BC?a=b%20c',
        body,
        headers: {
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
          'user-agent': 'Indelible-Webhooks/1',
          accept: '*/*',
          'accept-encoding': 'identity',
          host: `127.0.0.1:${port}`,
          connection: 'keep-alive',
        },
      },
    ]);
  });

  it('rejects with the reason of its signal, and its connection ends', async () => {
    const { server, url } = await receiverOf(() => {});
    const stopping = new AbortController();
    const sent = clientOf().send(url, stopping.signal);
    const [request] = await once(server, 'request');
    const closed = once(request.socket, 'close');
    stopping.abort(new Error('stopping'));
    await expect(sent).rejects.toThrow('stopping');
    await closed;
    await expect(clientOf().send(url, stopping.signal)).rejects.toThrow('stopping');
  });
});

describe('an answer', () => {
  it.each([200, 204, 400, 404, 410, 429, 500, 503])('has the status %i', async (status) => {
    const { url } = await receiverOf((response) => response.writeHead(status, { 'retry-after': '120' }).end());
    expect(await clientOf().send(url)).toMatchObject({ status, retryAfter: '120' });
  });

  it('has the first KiB of its body, without control characters and half characters', async () => {
    const text = `\u0000a\r\n\u001b[31m\u0085${'é'.repeat(600)}`;
    const { url } = await receiverOf((response) => response.writeHead(500).end(text));
    const answer = await clientOf().send(url);
    expect(answer).toMatchObject({ status: 500, body: ` a   [31m ${'é'.repeat(506)}` });
  });

  it('is not decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const { url } = await receiverOf((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
    const answer = (await clientOf().send(url)) as { body: string };
    expect(answer.body.length).toBeLessThanOrEqual(1024);
  });

  it.each([301, 302, 303, 307, 308])('%i leads nowhere: a redirect is a fault', async (status) => {
    const other = await receiverOf((response) => response.writeHead(200).end());
    const { url } = await receiverOf((response) => response.writeHead(status, { location: other.url }).end());
    expect(await clientOf().send(url)).toMatchObject({
      fault: 'redirect',
      message: `redirects are not followed (status ${status})`,
    });
    expect(other.connections()).toBe(0);
  });
});

describe('a connection', () => {
  it('is kept for the next request', async () => {
    const receiver = await receiverOf((response) => response.writeHead(200).end('ok'));
    const client = clientOf();
    for (let i = 0; i < 3; i += 1) expect(await client.send(receiver.url)).toMatchObject({ status: 200 });
    expect(receiver.connections()).toBe(1);
  });

  it('that was kept and is closed meanwhile is no fault of the receiver: the request is sent on another', async () => {
    const receiver = await receiverOf((response) => {
      if (receiver.seen.length === 2) response.socket?.destroy();
      else response.writeHead(200).end('ok');
    });
    const client = clientOf();
    expect(await client.send(receiver.url)).toMatchObject({ status: 200 });
    expect(await client.send(receiver.url)).toMatchObject({ status: 200 });
    expect([receiver.seen.length, receiver.connections()]).toEqual([3, 2]);
  });

  it('that is new and closed without a response is a fault, and so is one that is refused', async () => {
    const receiver = await receiverOf((response) => response.socket?.destroy());
    expect(await clientOf().send(receiver.url)).toMatchObject({
      fault: 'connection',
      message: 'connection closed before the end of the response',
    });
    expect(receiver.seen).toHaveLength(1);
    await receiver.stop();
    expect(await clientOf().send(receiver.url)).toMatchObject({ fault: 'connection', message: 'connection refused' });
  });

  it('does not wait for those of slow receivers, also of the same host (I12)', async () => {
    const slow: ServerResponse[] = [];
    const { url } = await receiverOf((response, { line }) => {
      if (line === 'POST /slow') slow.push(response);
      else response.writeHead(200).end();
    });
    const client = clientOf();
    const waiting = Array.from({ length: 100 }, () => client.send(`${url}/slow`));
    expect(await client.send(`${url}/fast`)).toMatchObject({ status: 200 });
    for (let sent = 0; sent < waiting.length; sent = slow.length) await client.send(`${url}/fast`);
    for (const response of slow) response.writeHead(200).end();
    for (const answer of await Promise.all(waiting)) expect(answer).toMatchObject({ status: 200 });
  });

  it('ends when the client is closed, in use or idle', async () => {
    const receiver = await receiverOf((response, { line }) => {
      if (line !== 'POST /slow') response.writeHead(200).end();
    });
    const client = clientOf();
    await client.send(receiver.url);
    const sent = client.send(`${receiver.url}/slow`);
    const [request] = await once(receiver.server, 'request');
    const closed = once(request.socket, 'close');
    await client.close();
    await expect(sent).rejects.toThrow('the webhook client is closed');
    await closed;
    await expect(client.send(receiver.url)).rejects.toThrow('the webhook client is closed');
    expect(receiver.connections()).toBe(1);
  });
});
