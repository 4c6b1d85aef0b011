import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The emulator's proxy; `stop` ends its connections. */
export interface GcsFront {
  readonly apiEndpoint: string;
  /** Forwards later requests to an emulator at this port. */
  passTo(port: number): void;
  stop(): Promise<void>;
}

const REWRITE = /\/rewriteTo\/b\/([^/]+)\/o\/([^/?]+)\?/;

/**
 * Forwards everything to fake-gcs-server, and adds the one feature that the driver needs and it lacks: it honours
 * `ifGenerationMatch` for uploads, but not for rewrites (its `rewriteObject` creates without conditions). As Google
 * documents, a rewrite with `ifGenerationMatch=0` to a taken name gets 412; rewrites run one at a time here.
 */
export async function startGcsFront(): Promise<GcsFront> {
  let port = 0;
  let rewrites: Promise<unknown> = Promise.resolve();
  const server = createServer((incoming, outgoing) => {
    const target = REWRITE.exec(incoming.url ?? '');
    const onlyIfFree = new URL(incoming.url ?? '/', 'http://emulator').searchParams.get('ifGenerationMatch') === '0';
    if (target === null || !onlyIfFree) return void pass(port, incoming, outgoing);
    rewrites = rewrites.then(async () => {
      const taken = await exists(port, `/storage/v1/b/${target[1]}/o/${target[2]}`).catch(() => undefined);
      if (taken !== true) return await pass(port, incoming, outgoing);
      incoming.resume();
      outgoing.writeHead(412, { 'content-type': 'application/json' });
      outgoing.end('{"error":{"code":412,"message":"conditionNotMet","errors":[{"reason":"conditionNotMet"}]}}');
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    apiEndpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passTo: (to) => {
      port = to;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Streams a request to the emulator and its answer back; resolves at the end of either, never rejects. */
function pass(port: number, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const { method, url, headers } = incoming;
    const onward = request({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
      answer.once('error', () => outgoing.destroy());
    });
    onward.once('error', () => outgoing.destroy());
    outgoing.once('close', () => {
      onward.destroy();
      resolve();
    });
    incoming.pipe(onward);
  });
}

function exists(port: number, path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    asked.once('error', reject);
    asked.end();
  });
}
