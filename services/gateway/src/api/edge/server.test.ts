import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createInternalServer, createLogger, startAll, stopAll } from '@indelible/service-runtime';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { createAdmission } from './admission.ts';
import { createEdgeServer } from './server.ts';

// What a socket can do to the process that serves it. An uncaught exception anywhere fails the running test.

const logger = createLogger({ service: 'test', level: 'silent' });
const metrics = new Registry();
/** Duration of the app's work on a request: long enough for the bytes after it to arrive. */
const workMs = 50;
const app: RequestListener = (request, response) => {
  request.resume();
  setTimeout(
    () => response.writeHead(request.method === 'POST' ? 201 : 200, { 'Content-Length': 14 }).end('{"whole":true}'),
    workMs,
  );
};
const edge = createEdgeServer({
  host: '127.0.0.1',
  port: 0,
  app,
  admission: createAdmission({ maxRequests: 1_000, maxConnections: 1_000, metrics }),
  maxConnections: 1_000,
  stalledMs: 1_000,
  drainMs: 0,
  hurry: () => {},
  endStreams: () => {},
});
const internal = createInternalServer({ host: '127.0.0.1', port: 0, logger, components: () => [], metrics });
beforeAll(() => startAll([edge, internal]));
afterAll(() => stopAll([edge, internal]));

const port = (server: 'public' | 'internal'): number => (server === 'public' ? edge : internal).port();
const open = async (server: 'public' | 'internal' = 'public'): Promise<Socket> => {
  const socket = connect(port(server), '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
};
const gauge = async (name: string): Promise<number> =>
  Number(new RegExp(`^indelible_gateway_${name} (\\d+)$`, 'm').exec(await metrics.metrics())?.[1]);
const authorized = 'Host: x\r\n';
/** All that comes until the server ends its side. */
async function answerTo(socket: Socket, bytes: string): Promise<string> {
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1');
  });
  socket.write(bytes);
  await once(socket, 'end');
  return answer;
}
const bodyOf = (answer: string): { error?: string } =>
  JSON.parse(answer.split('\r\n\r\n').at(-1) as string) as { error?: string };

const hostile: [string, () => string | Buffer][] = [
  ['a tunnel', () => 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a tunnel with bytes behind it', () => `CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n${'x'.repeat(100_000)}`],
  ['an upgrade', () => 'GET /api/v1/users/me HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
  ['an unknown expectation', () => 'POST /api/v1/stamps HTTP/1.1\r\nHost: x\r\nExpect: 200-ok\r\n\r\n'],
  ['no Host', () => 'GET /api/v1/users/me HTTP/1.1\r\n\r\n'],
  ['garbage', () => 'nonsense\r\n\r\n'],
  ['a TLS hello', () => Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03])],
  ['an HTTP/2 preface', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['headers too large', () => `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(100_000)}\r\n\r\n`],
  ['headers that do not end', () => 'GET / HTTP/1.1\r\nHost: x\r\n'],
  [
    'a body that does not end',
    () =>
      `POST /api/v1/stamps/verify HTTP/1.1\r\n${authorized}Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{`,
  ],
  [
    'a broken chunk',
    () =>
      `POST /api/v1/stamps HTTP/1.1\r\n${authorized}Content-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
  ],
  ['garbage behind a request', () => `GET /api/v1/users/me HTTP/1.1\r\n${authorized}\r\nnonsense\r\n\r\n`],
  [
    'a tunnel behind a request',
    () => `GET /api/v1/users/me HTTP/1.1\r\n${authorized}\r\nCONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n`,
  ],
  [
    'a tunnel behind many requests',
    () => `${'GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(100)}CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n`,
  ],
  ['nothing', () => ''],
];

describe.each(['public', 'internal'] as const)('the %s server keeps running (I11, I12)', (server) => {
  it.each(hostile)('after %s and a reset, before its answer and after it', async (_what, bytes) => {
    for (const waitMs of [0, workMs / 2, workMs * 2]) {
      const sockets = await Promise.all(Array.from({ length: 3 }, () => open(server)));
      for (const socket of sockets) if (bytes().length > 0) socket.write(bytes());
      await delay(waitMs);
      for (const socket of sockets) socket.resetAndDestroy();
    }
    for (const name of ['public', 'internal'] as const)
      expect(
        (await fetch(`http://127.0.0.1:${port(name)}/health/live`, { headers: { Connection: 'close' } })).status,
      ).toBe(200);
    await eventually(async () => expect([await gauge('connections'), await gauge('requests')]).toEqual([0, 0]));
  });
});

describe('a stop', () => {
  it.each(['has not begun', 'has begun'])(
    'ends a kept connection with its last answer, which %s by then',
    async (begun) => {
      const responding = Promise.withResolvers<Parameters<RequestListener>[1]>();
      const stopped = createEdgeServer({
        host: '127.0.0.1',
        port: 0,
        app: (_request, response) => responding.resolve(response),
        admission: createAdmission({ maxRequests: 10, maxConnections: 10, metrics: new Registry() }),
        maxConnections: 10,
        stalledMs: 1_000,
        // The test would time out if the connection held up the stop for this.
        drainMs: 120_000,
        hurry: () => {},
        endStreams: () => {},
      });
      await stopped.start();
      const socket = connect(stopped.port(), '127.0.0.1');
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      const response = await responding.promise;
      if (begun === 'has begun') response.writeHead(200, { 'Content-Length': 3 }).write('w');
      const stop = stopped.stop();
      response.end(begun === 'has begun' ? 'ho' : 'who');
      socket.resume();
      await Promise.all([stop, once(socket, 'close')]);
    },
  );
});

describe('a server that leaves', () => {
  const leavingEdge = (app: RequestListener) =>
    createEdgeServer({
      ...{ host: '127.0.0.1', port: 0, app, maxConnections: 10, stalledMs: 1_000, drainMs: 120_000 },
      admission: createAdmission({ maxRequests: 10, maxConnections: 10, metrics: new Registry() }),
      hurry: () => {},
      endStreams: () => {},
    });

  it.each(['public', 'internal'] as const)(
    'answers what still comes over kept connections and new ones, each answer the last of its connection: %s',
    async (which) => {
      const options = { host: '127.0.0.1', port: 0, metrics: new Registry() };
      const server =
        which === 'internal'
          ? createInternalServer({ ...options, logger, components: () => [] })
          : createEdgeServer({
              ...options,
              app,
              admission: createAdmission({ maxRequests: 10, maxConnections: 10, metrics: options.metrics }),
              maxConnections: 10,
              stalledMs: 1_000,
              drainMs: 120_000,
              hurry: () => {},
              endStreams: () => {},
            });
      await server.start();
      const request = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n';
      const connectTo = async (): Promise<Socket> => {
        const socket = connect(server.port(), '127.0.0.1');
        await once(socket, 'connect');
        return socket;
      };
      const kept = await connectTo();
      kept.write(request);
      expect(String((await once(kept, 'data'))[0])).toMatch(/keep-alive/);
      // The test would time out if it did not end with the last connection.
      const left = server.leave?.(120_000);
      for (const socket of [kept, await connectTo()]) {
        const answer = await answerTo(socket, request);
        expect(answer).toMatch(/^HTTP\/1\.1 200 /);
        expect(answer).toMatch(/\r\nConnection: close\r\n/i);
      }
      await left;
      await server.stop();
    },
  );

  it.each(['leave', 'stop'] as const)(
    'answers the request that comes behind an answer which began before it could say that it is the last: %s',
    async (step) => {
      const begun = Promise.withResolvers<ServerResponse>();
      const server = leavingEdge((request, response) => {
        if (request.url === '/whole') response.end('whole');
        else {
          response.write('first, ');
          begun.resolve(response);
        }
      });
      await server.start();
      const socket = connect(server.port(), '127.0.0.1');
      socket.write('GET /streamed HTTP/1.1\r\nHost: x\r\n\r\n');
      const response = await begun.promise;
      await once(socket, 'data');
      // The test would time out if it did not end with the connection.
      const ended = server[step]?.(120_000);
      response.end('and last');
      let answer = '';
      socket.on('data', (chunk) => {
        if (!answer.includes('and last') && String(chunk).includes('and last'))
          socket.write('GET /whole HTTP/1.1\r\nHost: x\r\n\r\n');
        answer += chunk;
      });
      await once(socket, 'end');
      expect(answer).toMatch(/HTTP\/1\.1 200 OK\r\n.*Connection: close\r\n.*whole/s);
      await ended;
      await server.stop();
    },
  );

  it('ends the connection of an answer that began before, when no further request comes', async () => {
    const begun = Promise.withResolvers<ServerResponse>();
    const server = leavingEdge((_request, response) => {
      response.write('first, ');
      begun.resolve(response);
    });
    await server.start();
    const socket = connect(server.port(), '127.0.0.1');
    socket.write('GET /streamed HTTP/1.1\r\nHost: x\r\n\r\n');
    const response = await begun.promise;
    socket.resume();
    const left = server.leave?.(120_000);
    response.end('and last');
    await Promise.all([left, once(socket, 'end')]);
    await server.stop();
  });

  it('is not ready from the beginning of its leave, and waits no longer than it has', async () => {
    const server = createInternalServer({ host: '127.0.0.1', port: 0, logger, components: () => [], metrics });
    await server.start();
    const readiness = () => fetch(`http://127.0.0.1:${server.port()}/health/ready`);
    expect((await readiness()).status).toBe(200);
    const silent = connect(server.port(), '127.0.0.1');
    await once(silent, 'connect');
    const left = server.leave?.(200);
    const refused = await readiness();
    expect([refused.status, await refused.json()]).toEqual([
      503,
      { status: 'waiting', waiting: ['the service is stopping'] },
    ]);
    await left;
    await server.stop();
  });
});

describe('a refusal without a request', () => {
  it.each<[string, string, number]>([
    ['a tunnel', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', 405],
    ['garbage', 'nonsense\r\n\r\n', 400],
    ['an unknown expectation', 'POST /api/v1/stamps HTTP/1.1\r\nHost: x\r\nExpect: 200-ok\r\n\r\n', 417],
    ['no Host', 'GET /api/v1/users/me HTTP/1.1\r\n\r\n', 400],
  ])('of %s does not wait for a client that never closes its side', async (_what, bytes, status) => {
    const socket = connect({ port: port('public'), host: '127.0.0.1', allowHalfOpen: true });
    await once(socket, 'connect');
    const answer = await answerTo(socket, bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(bodyOf(answer).error).toEqual(expect.any(String));
    await eventually(async () => expect(await gauge('connections')).toBe(0));
    socket.destroy();
  });

  it('has the headers of every answer', async () => {
    const answer = await answerTo(await open(), 'nonsense\r\n\r\n');
    expect(answer).toMatch(/\r\nX-Content-Type-Options: nosniff\r\n/);
    expect(answer).toMatch(/\r\nCache-Control: no-store\r\n/);
  });
});

describe('what comes behind a request whose answer is on its way', () => {
  const inFront = `POST /api/v1/stamps HTTP/1.1\r\n${authorized}Content-Length: 4\r\n\r\ndata`;
  it.each([
    ['garbage', 'nonsense\r\n\r\n'],
    ['a tunnel', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('%s never gets into that answer: it comes whole, and the connection ends', async (_what, behind) => {
    const answer = await answerTo(await open(), inFront + behind);
    expect(answer).toMatch(/^HTTP\/1\.1 201 /);
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(bodyOf(answer)).toEqual({ whole: true });
  });

  it.each([
    ['no Host', 'GET /api/v1/users/me HTTP/1.1\r\n\r\n', 400],
    ['an unknown expectation', 'GET /api/v1/users/me HTTP/1.1\r\nHost: x\r\nExpect: 200-ok\r\n\r\n', 417],
  ])('a request with %s is answered after it', async (_what, behind, status) => {
    const answer = await answerTo(await open(), inFront + behind);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 201', `HTTP/1.1 ${status}`]);
  });
});
