import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Serves on a free port. Open-loop callers may be idle for long. */
export async function listen(listener: RequestListener): Promise<{ readonly url: string }> {
  const server = createServer({ keepAliveTimeout: 65_000 }, listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
