import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { internalAddress } from './internal-token.ts';
import { createLogger } from './logging/logger.ts';
import { createRepublishRequests, type RepublishRequests } from './republish-requests.ts';

describe('createRepublishRequests (I11)', () => {
  let server: Server;
  let requests: RepublishRequests;
  let bodies: unknown[];
  let status: number;
  const arrived = async (count: number): Promise<void> => {
    while (bodies.length < count) await once(server, 'arrived');
  };
  const createFor = (patienceMs: number): void => {
    const { port } = server.address() as AddressInfo;
    const logger = createLogger({ service: 'test', level: 'silent' });
    requests = createRepublishRequests({
      indexer: internalAddress(`http://127.0.0.1:${port}/`, undefined),
      logger,
      patienceMs,
    });
  };

  beforeEach(async () => {
    bodies = [];
    status = 202;
    server = createServer(async (request, response) => {
      bodies.push([request.method, request.url, JSON.parse(await text(request))]);
      response.writeHead(status).end();
      server.emit('arrived');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    requests.close();
    server.close();
    await once(server, 'close');
  });

  it('requests what is missing at once, and one time only while the request may take effect', async () => {
    createFor(60_000);
    for (let i = 0; i < 100; i++) requests.missing(17);
    await arrived(1);
    requests.followed();
    requests.missing(18);
    expect(bodies).toEqual([['POST', '/internal/blocks/republish', { from: 17 }]]);
  });

  it('repeats a request that had no effect, or was not taken, without another message', async () => {
    status = 503;
    createFor(20);
    requests.missing(17);
    await arrived(3);
    expect(bodies.at(-1)).toEqual(['POST', '/internal/blocks/republish', { from: 17 }]);
  });
});
