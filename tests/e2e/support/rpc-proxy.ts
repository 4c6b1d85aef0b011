import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy between a service and its node that can block a method's calls. */
export type RpcProxy = {
  readonly url: string;
  /** Neither passes on nor answers further calls of the method; resolves when the first one has arrived. */
  hold(method: string): Promise<void>;
  /** Passes everything on again; held calls are cut off. */
  release(): void;
  stop(): Promise<void>;
};

export async function startRpcProxy(target: string): Promise<RpcProxy> {
  let held: { method: string; came: () => void } | undefined;
  const waiting = new Set<ServerResponse>();
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    if (held !== undefined && body.includes(`"${held.method}"`)) {
      waiting.add(response);
      held.came();
      return;
    }
    const answer = await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    response
      .writeHead(answer.status, { 'content-type': 'application/json' })
      .end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold(method) {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = { method, came: resolve };
      return promise;
    },
    release() {
      held = undefined;
      for (const response of waiting) response.destroy();
      waiting.clear();
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
