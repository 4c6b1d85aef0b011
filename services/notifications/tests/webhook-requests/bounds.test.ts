import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { clientOf, closeClients } from '../support/send.ts';
import { listening, type Receiver } from '../support/tls-receiver.ts';

const receivers: Receiver[] = [];
afterEach(async () => {
  await closeClients();
  await Promise.all(receivers.splice(0).map((receiver) => receiver.stop()));
});

/** A receiver that gets each raw connection, and responds as it likes. */
async function rawReceiver(handle: (socket: Socket) => void) {
  const receiver = await listening(createServer(handle));
  receivers.push(receiver);
  return receiver.port;
}

const headers = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n';

/** Writes while the connection is open, as fast as it accepts it. */
function writeForEver(socket: Socket, text: string): void {
  const write = () => {
    while (!socket.destroyed && socket.write(text));
  };
  socket.on('drain', write);
  write();
}

/** Writes a byte at intervals. */
function drip(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 20);
  socket.once('close', () => clearInterval(timer));
}

describe('a request ends at its deadline', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['says nothing', () => {}],
    ['reads nothing', (socket) => socket.pause()],
    ['sends its status line byte by byte', (socket) => drip(socket, 'H')],
    ['sends header after header', (socket) => socket.write(headers, () => drip(socket, 'X: y\r\n'))],
    ['sends 100 Continue for ever', (socket) => drip(socket, 'HTTP/1.1 100 Continue\r\n\r\n')],
    ['sends 103 Early Hints for ever', (socket) => drip(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n')],
    ['sends its body byte by byte', (socket) => socket.write(`${headers}\r\n`, () => drip(socket, 'a'))],
    ['announces more than it sends', (socket) => socket.write(`${headers}Content-Length: 5\r\n\r\na`)],
  ])('when a receiver %s (I12)', async (what, answer) => {
    const port = await rawReceiver((socket) => {
      if (what === 'sends its status line byte by byte') socket.write('HTTP/1.1 200 ');
      answer(socket);
    });
    const fault = await clientOf({ timeoutMs: 400 }).send(`http://127.0.0.1:${port}/`);
    expect(fault).toMatchObject({ fault: 'timeout', message: 'no complete response within 400 ms' });
  });

  it('when a receiver does not answer the TLS handshake', async () => {
    const port = await rawReceiver((socket) => socket.resume());
    expect(await clientOf({ timeoutMs: 400 }).send(`https://127.0.0.1:${port}/`)).toMatchObject({ fault: 'timeout' });
  });

  it('when the name server does not answer', async () => {
    const client = clientOf({ timeoutMs: 400, lookup: () => new Promise(() => {}) });
    expect(await client.send('https://hooks.example/')).toMatchObject({ fault: 'timeout' });
  });
});

describe('a response is bounded', () => {
  it('an endless body is cut: the status counts, and the connection is closed', async () => {
    const closed = Promise.withResolvers<void>();
    const port = await rawReceiver((socket) => {
      socket.once('close', () => closed.resolve());
      socket.write(`${headers}\r\n`);
      writeForEver(socket, 'a'.repeat(16_384));
    });
    const answer = await clientOf().send(`http://127.0.0.1:${port}/`);
    expect(answer).toMatchObject({ status: 200, body: 'a'.repeat(1024) });
    await closed.promise;
  });

  it.each([
    ['headers without end', `X-${'a'.repeat(1_000)}: b\r\n`],
    ['one header without end', 'a'.repeat(1_000)],
  ])('%s are a fault', async (_what, text) => {
    const port = await rawReceiver((socket) => {
      socket.write(headers);
      writeForEver(socket, text);
    });
    expect(await clientOf().send(`http://127.0.0.1:${port}/`)).toMatchObject({
      fault: 'too-long',
      message: 'response headers too long',
    });
  });

  it.each([
    ['SSH', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['HTTP/2', '\u0000\u0000\u0012\u0004\u0000\u0000\u0000\u0000\u0000'],
    ['two lengths', `${headers}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`],
    ['a length and chunks', `${headers}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ])('what is not HTTP/1.1 is a fault that quotes nothing of it: %s', async (_what, text) => {
    const port = await rawReceiver((socket) => socket.write(text));
    expect(await clientOf().send(`http://127.0.0.1:${port}/`)).toMatchObject({
      fault: 'connection',
      message: 'response is not valid HTTP/1.1',
    });
  });

  it('another protocol in place of HTTP/1.1 is not taken up', async () => {
    const port = await rawReceiver((socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
    );
    expect(await clientOf().send(`http://127.0.0.1:${port}/`)).toMatchObject({ fault: 'connection' });
  });
});
