import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startCrc32c } from '../src/crc32c.ts';

const run = promisify(execFile);
const bytes = 256 * 1024 * 1024;
const mayGrow = 64_000_000;

/**
 * The resumable uploads of GCS, keeping nothing: fake-gcs-server hashes the whole content anew with each request of an
 * upload, which takes it a minute for 256 MiB. The driver's own memory is what is measured here.
 */
async function answerUpload(request: IncomingMessage, response: ServerResponse, sum: ReturnType<typeof startCrc32c>) {
  const address = `http://${request.headers.host}/session`;
  if (request.method === 'POST') return void response.writeHead(200, { location: address }).end();
  for await (const chunk of request) sum.update(chunk as Buffer);
  if (request.method === 'DELETE') return void response.writeHead(204).end();
  const isLast = !request.headers['content-range']?.endsWith('/*');
  if (!isLast) return void response.writeHead(308, { range: `bytes=0-${sum.size - 1}` }).end();
  const crc32c = Buffer.alloc(4);
  crc32c.writeUInt32BE(sum.value);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ size: String(sum.size), crc32c: crc32c.toString('base64'), generation: '1' }));
}

let server: Server;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'blob-store-'));
  let sum = startCrc32c();
  server = createServer((request, response) => {
    if (request.method === 'POST') sum = startCrc32c();
    void answerUpload(request, response, sum);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(directory, { recursive: true, force: true });
});

describe('256 MiB of content, staged by a process of its own', () => {
  it.each(['local', 'gcs'])(
    'grow its memory by less than 64 MB: %s',
    async (kind) => {
      const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const place = kind === 'gcs' ? ['a-bucket', address] : [directory, ''];
      const script = join(import.meta.dirname, 'stage-much.ts');
      const { stdout } = await run(process.execPath, [script, kind, ...place, String(bytes)], {
        timeout: 110_000,
      });
      const grown = JSON.parse(stdout) as { bytes: number; grownBytes: number };
      expect(grown.bytes).toBe(bytes);
      expect(grown.grownBytes).toBeLessThan(mayGrow);
    },
    120_000,
  );
});
