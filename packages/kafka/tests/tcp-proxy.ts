import net from 'node:net';

/** `mute` lets requests through and no answer back; `refuse` takes no connection. */
export type ProxyMode = 'pass' | 'mute' | 'refuse';

/** Stands between a client and a server of this machine, and fails as it is told. */
export const createTcpProxy = async (target: { host: string; port: number }) => {
  const pairs = new Set<{ client: net.Socket; server: net.Socket }>();
  let mode: ProxyMode = 'pass';

  const listener = net.createServer((client) => {
    if (mode === 'refuse') {
      client.destroy();
      return;
    }
    const server = net.connect(target);
    const pair = { client, server };
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.on('error', end).on('close', end);
    client.on('data', (chunk) => server.write(chunk));
    server.on('data', (chunk) => {
      if (mode === 'mute') end();
      else client.write(chunk);
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as net.AddressInfo;

  return {
    port,
    set(next: ProxyMode) {
      mode = next;
    },
    /** Ends every connection there is. */
    cut() {
      for (const { client, server } of pairs) {
        client.destroy();
        server.destroy();
      }
    },
    async close() {
      for (const { client, server } of pairs) {
        client.destroy();
        server.destroy();
      }
      await new Promise((resolve) => listener.close(resolve));
    },
  };
};

export type TcpProxy = Awaited<ReturnType<typeof createTcpProxy>>;
