import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runCommand } from './command-line.ts';

describe('indelible chain republish', () => {
  let server: Server;
  let url: string;
  let requests: unknown[];
  beforeAll(async () => {
    requests = [];
    server = createServer(async (request, response) => {
      const body = (await json(request)) as { from: number };
      requests.push([request.method, request.url, body]);
      // As the chain-indexer: nothing is below its first block, or there is none yet.
      if (body.from === 99) response.writeHead(503).end('{"error":"no block is stored yet"}');
      else response.writeHead(202).end(JSON.stringify({ from: Math.max(10, body.from) }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    server.close();
    await once(server, 'close');
  });

  const republish = (indexerUrl: string, ...words: string[]) =>
    runCommand(['chain', 'republish', ...words], { folder: tmpdir(), environment: { INDEXER_URL: indexerUrl } });

  it('requests it of the chain-indexer, and says where it begins', async () => {
    expect(await republish(`${url}/`, '--from', '5')).toEqual({
      code: 0,
      out: 'publishing again from block 10\n',
      err: '',
    });
    expect(requests).toEqual([['POST', '/internal/blocks/republish', { from: 5 }]]);
    expect((await republish(url, '--from', '17', '--json')).out).toBe('{"from":17}\n');
  });

  it('finds the chain-indexer of a local start, whose port may be any', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'indelible-local-start-'));
    try {
      await mkdir(join(folder, '.local'));
      const connection = { internalUrls: { 'chain-indexer': url } };
      await writeFile(join(folder, '.local', 'connection.json'), JSON.stringify(connection));
      const words = ['chain', 'republish', '--from', '23'];
      expect((await runCommand(words, { folder, environment: {} })).out).toBe('publishing again from block 23\n');
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('says why it was not taken', async () => {
    expect(await republish(url, '--from', '99')).toMatchObject({
      code: 1,
      err: expect.stringContaining('no block is stored yet'),
    });
    expect(await republish('http://127.0.0.1:1', '--from', '9')).toMatchObject({
      code: 1,
      err: expect.stringContaining('unreachable at http://127.0.0.1:1 (INDEXER_URL)'),
    });
    expect((await republish(url, '--from', 'x')).code).toBe(2);
    expect((await republish(url)).code).toBe(2);
  });
});
