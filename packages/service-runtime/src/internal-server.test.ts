import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { expect, it } from '@jest/globals';
import { Router } from 'express';
import { Registry } from 'prom-client';
import { closeServer, createInternalServer, listen, portOf } from './internal-server.ts';
import { internalAddress } from './internal-token.ts';
import { createLogger } from './logging/logger.ts';

it('lets clients keep a connection for as long as the edge does: at 5 s a close could meet a request that is on its way', async () => {
  const server = createInternalServer({
    host: '127.0.0.1',
    port: 0,
    logger: createLogger({ service: 'test', level: 'silent' }),
    components: () => [],
    metrics: new Registry(),
  });
  await server.start();
  try {
    const { headers } = await fetch(`http://127.0.0.1:${server.port()}/health/live`);
    expect(headers.get('keep-alive')).toBe('timeout=65');
  } finally {
    await server.stop();
  }
});

it('ends before its time to drain is over when a client keeps a connection without a request', async () => {
  const server = await listen(createServer(), '127.0.0.1', 0);
  const taken = once(server, 'connection');
  const socket = connect(portOf(server), '127.0.0.1');
  await taken;
  const ended = once(socket, 'close');
  await closeServer(server, 10 * 60_000);
  await ended;
});

it('opens its routes for any of its tokens alone, old or new, and health and metrics for everyone', async () => {
  const [fresh, old] = ['n'.repeat(32), 'o'.repeat(32)];
  const server = createInternalServer({
    host: '127.0.0.1',
    port: 0,
    tokens: [fresh, old],
    logger: createLogger({ service: 'test', level: 'silent' }),
    components: () => [],
    routes: Router().get('/internal/head', (_request, response) => void response.json({ number: 1 })),
    metrics: new Registry(),
  });
  await server.start();
  const url = `http://127.0.0.1:${server.port()}`;
  const statusOf = async (path: string, headers: Readonly<Record<string, string>> = {}) =>
    (await fetch(`${url}${path}`, { headers })).status;
  try {
    for (const path of ['/health/live', '/health/ready', '/metrics']) expect(await statusOf(path)).toBe(200);
    expect(await statusOf('/internal/head')).toBe(401);
    for (const wrong of ['Bearer', 'Bearer ', `Bearer ${old}0`, `Basic ${old}`, old])
      expect(await statusOf('/internal/head', { authorization: wrong })).toBe(401);
    expect(await statusOf('/internal/head', { authorization: `Bearer ${old}` })).toBe(200);
    expect(await statusOf('/internal/head', internalAddress(url, [fresh, old]).headers)).toBe(200);
    expect(internalAddress(url, undefined).headers).toEqual({});
  } finally {
    await server.stop();
  }
});
