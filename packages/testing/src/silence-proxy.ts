import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface SilenceProxy {
  /** The same address, by way of the proxy. */
  readonly url: string;
  /** While silent, requests reach the server but no response returns, on open connections. */
  silence(silent: boolean): void;
  close(): void;
}

/** A proxy between a client and the server of this address that can make it as silent as a dead host. */
export async function silenceProxy(serverUrl: string): Promise<SilenceProxy> {
  const { hostname, port } = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let silent = false;
  const listener = createServer((client) => {
    const server = connect(Number(port), hostname);
    const pair = [client, server];
    client.on('data', (bytes) => server.write(bytes));
    server.on('data', (bytes) => silent || client.write(bytes));
    for (const socket of pair) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        // The end of a connection is hidden, too.
        if (!silent) for (const one of pair) one.destroy();
      });
    }
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String((listener.address() as AddressInfo).port);
  return {
    url: url.href,
    silence(now) {
      silent = now;
    },
    close() {
      silent = false;
      for (const socket of sockets) socket.destroy();
      listener.close();
    },
  };
}
