import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

export interface EndingServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * A stand-in for a Postgres whose administrator ends each session as soon as it opens: the end is in the same bytes as
 * the greeting, so that a client reads both in one turn.
 */
export async function endingServer(): Promise<EndingServer> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(Buffer.concat([authenticationOk, readyForQuery, ended])));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `postgres://anyone@127.0.0.1:${(server.address() as AddressInfo).port}/any`,
    close: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}

/** A message of Postgres' protocol: its type, its length, its body. */
function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + body.length);
  return Buffer.concat([Buffer.from(type), length, body]);
}

const authenticationOk = message('R', Buffer.alloc(4));
const readyForQuery = message('Z', Buffer.from('I'));
const ended = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'));
