import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Connection, openConnection, openConnections } from './http-connection.ts';

let server: Server;
let connection: Connection;
let socket: Socket;
const faults: string[] = [];

beforeEach(async () => {
  faults.length = 0;
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  connection = await openConnection(address(), (fault) => faults.push(fault.message));
  [socket] = await accepted;
  socket.setNoDelay(true);
});
afterEach(async () => {
  connection.close();
  socket.destroy();
  server.close();
  await once(server, 'close');
});

const address = () => ({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
const ask = (): Promise<[number, string]> =>
  new Promise((resolve) => connection.send('GET / HTTP/1.1\r\n\r\n', (...answer) => resolve(answer)));

const reply = async (...pieces: string[]): Promise<void> => {
  await once(socket, 'data');
  for (const piece of pieces) {
    socket.write(piece);
    await new Promise(setImmediate);
  }
};

describe('a connection of the load', () => {
  it('takes answers in whatever pieces they come, one after the other', async () => {
    const created = ask();
    await reply('HTTP/1.1 201 Created\r\nContent-', 'Length: 7\r', '\n\r\n{"a"', ':1}');
    expect(await created).toEqual([201, '{"a":1}']);
    const refused = ask();
    await reply('HTTP/1.1 503 Service Unavailable\r\ncontent-length:2\r\nRetry-After: 5\r\n\r\n{}');
    expect(await refused).toEqual([503, '{}']);
    expect(faults).toEqual([]);
  });

  it('fails when an answer has no length, and when the server closes it', async () => {
    connection.send('GET / HTTP/1.1\r\n\r\n', () => faults.push('answered'));
    await reply('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n');
    await once(socket, 'close');
    expect(faults).toEqual([expect.stringMatching(/^an unexpected response, or one without Content-Length/)]);
    const accepted = once(server, 'connection');
    const [other] = await openConnections(`http://127.0.0.1:${address().port}`, 1, (fault) =>
      faults.push(fault.message),
    );
    const [peer] = await accepted;
    peer.destroy();
    await new Promise<void>((resolve) => {
      const look = (): void => void (faults.length > 1 ? resolve() : setImmediate(look));
      look();
    });
    other?.close();
    expect(faults[1]).toBe('the connection was closed');
  });

  it('cannot be opened where nobody listens', async () => {
    const { port } = address();
    socket.destroy();
    server.close();
    await once(server, 'close');
    await expect(openConnections(`http://127.0.0.1:${port}`, 2, () => {})).rejects.toThrow('ECONNREFUSED');
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
});
