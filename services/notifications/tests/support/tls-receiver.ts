import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Server as NetServer } from 'node:net';
import { generate } from 'selfsigned';

/** A server on 127.0.0.1, and its number of connections. */
export type Receiver<S extends NetServer = NetServer> = {
  readonly server: S;
  readonly port: number;
  connections(): number;
  stop(): Promise<void>;
};

export async function listening<S extends NetServer>(server: S): Promise<Receiver<S>> {
  let connections = 0;
  const open = new Set<{ destroy(): void }>();
  server.on('connection', (socket) => {
    connections += 1;
    open.add(socket.on('error', () => {}).once('close', () => open.delete(socket)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    server,
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

export const httpReceiver = (handle: RequestListener): Promise<Receiver<Server>> => listening(createHttpServer(handle));

export const httpsReceiver = (handle: RequestListener, options: ServerOptions) =>
  listening(createHttpsServer(options, handle));

/** A certificate and key for a name, made for the test and stored nowhere. */
export async function certificateFor(name: string, validUntil = new Date(Date.now() + 86_400_000)) {
  const { private: key, cert } = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(validUntil.getTime() - 2 * 86_400_000),
    notAfterDate: validUntil,
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: name }] }],
  });
  return { key, cert };
}
