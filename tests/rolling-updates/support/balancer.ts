import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A replica as the balancer knows it. */
export type Endpoint = { readonly port: number; readonly isReady: () => boolean };

/**
 * What a Kubernetes Service is to its clients: each new connection goes to the next replica that is ready, and stays with it until one of the
 * two ends it, whether the replica is still ready or not. It knows nothing of requests, and repeats nothing.
 */
export async function startBalancer() {
  const endpoints = new Set<Endpoint>();
  const open = new Set<Socket>();
  let turn = 0;

  function choose(): Endpoint | undefined {
    const ready = [...endpoints].filter(({ isReady }) => isReady());
    return ready[turn++ % ready.length];
  }
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const endpoint = choose();
    if (endpoint === undefined) return void client.resetAndDestroy();
    const replica = connect({ port: endpoint.port, host: '127.0.0.1', allowHalfOpen: true });
    for (const [one, other] of [
      [client, replica],
      [replica, client],
    ] as const) {
      open.add(one);
      one.once('close', () => open.delete(one));
      one.on('error', () => other.resetAndDestroy());
      one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    add: (endpoint: Endpoint): void => void endpoints.add(endpoint),
    /** As for a pod that is to end: it gets no new connection. */
    remove: (endpoint: Endpoint): void => void endpoints.delete(endpoint),
    async stop(): Promise<void> {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
export type Balancer = Awaited<ReturnType<typeof startBalancer>>;
