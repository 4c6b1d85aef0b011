import { once } from 'node:events';
import { request } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, TLSSocket } from 'node:tls';

type Certificate = { readonly cert: string; readonly key: string };
export type Front = { readonly port: number; stop(): Promise<void> };

/** TLS in front of a real server without it, from the first byte on, as Redis expects. */
export const tlsFront = (port: number, certificate: Certificate): Promise<Front> =>
  started(createTlsServer(certificate, (socket) => join(socket, port)));

/** The same for Postgres, whose client requests TLS within its own protocol; a client that does not is refused. */
export const postgresFront = (port: number, certificate: Certificate): Promise<Front> =>
  started(
    createServer(async (socket) => {
      socket.on('error', () => socket.destroy());
      const [first] = (await once(socket, 'data').catch(() => [Buffer.alloc(0)])) as [Buffer];
      const requestsTls = first.length === 8 && first.readInt32BE(4) === 80877103;
      if (!requestsTls) socket.destroy();
      else {
        socket.write('S');
        join(new TLSSocket(socket, { ...certificate, isServer: true }), port);
      }
    }),
  );

/** The same for an HTTP server, which requires this user and password. */
export const httpsFront = (origin: string, credentials: string, certificate: Certificate): Promise<Front> =>
  started(
    createHttpsServer(certificate, (incoming, response) => {
      if (incoming.headers.authorization !== `Basic ${Buffer.from(credentials).toString('base64')}`) {
        response.writeHead(401).end('{"error_code":401,"message":"who are you?"}');
        return;
      }
      const { method, headers, url } = incoming;
      const forwarded = request(new URL(url ?? '/', origin), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      forwarded.on('error', () => response.destroy());
      incoming.pipe(forwarded);
    }),
  );

function join(front: Socket, port: number): void {
  const back = connect(port, '127.0.0.1');
  front.on('error', () => back.destroy()).on('close', () => back.destroy());
  back.on('error', () => front.destroy()).on('close', () => front.destroy());
  front.pipe(back).pipe(front);
}

async function started(server: Server): Promise<Front> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => socket.destroy());
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
