import { readdir } from 'node:fs/promises';
import { startContentHash } from '@indelible/identifiers';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Account, type Gateway, startGateway } from './gateway-harness.ts';

let gateway: Gateway;
let ada: Account;
beforeAll(async () => {
  gateway = await startGateway();
  ada = await gateway.openAccount();
}, 120_000);
afterAll(() => gateway.dispose(), 60_000);

describe('a large upload', () => {
  it('streams into the blob store: the CID is that of its bytes', async () => {
    gateway.stamping.confirmAll();
    const hash = startContentHash();
    const chunk = Buffer.alloc(64 * 1024);
    const boundary = 'LARGE';
    async function* body(): AsyncGenerator<Buffer> {
      yield Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="large.bin"\r\n` +
          'Content-Type: application/octet-stream\r\n\r\n',
      );
      for (let i = 0; i < 1024; i++) {
        chunk.writeUInt32LE(i);
        hash.update(chunk);
        yield Buffer.from(chunk);
      }
      yield Buffer.from(`\r\n--${boundary}--\r\n`);
    }
    const answer = await gateway.send(ada, '/stamps', {
      method: 'POST',
      body: ReadableStream.from(body()),
      headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
      duplex: 'half',
    } as RequestInit);
    expect(gateway.stamping.commands.at(-1)).toMatchObject({
      objectCid: `0x${hash.digest('hex')}`,
      content: { size: 64 * 2 ** 20 },
    });
    expect(answer.status).toBe(201);
  }, 60_000);

  it('whose client disconnects keeps nothing staged and publishes nothing (I7)', async () => {
    const commands = gateway.stamping.commands.length;
    const before = await staged();
    const leaving = new AbortController();
    async function* body(): AsyncGenerator<Buffer> {
      yield Buffer.from('--B\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n');
      yield Buffer.alloc(256 * 1024);
      await eventually(async () => expect((await staged()).length).toBeGreaterThan(before.length));
      leaving.abort();
      yield Buffer.alloc(1024);
    }
    const sending = gateway.send(ada, '/stamps', {
      method: 'POST',
      body: ReadableStream.from(body()),
      headers: { 'Content-Type': 'multipart/form-data; boundary=B' },
      duplex: 'half',
      signal: leaving.signal,
    } as RequestInit);
    await expect(sending).rejects.toMatchObject({ name: 'AbortError' });
    await eventually(async () => expect(await staged()).toEqual(before));
    expect(gateway.stamping.commands).toHaveLength(commands);
  });
});

const staged = async (): Promise<string[]> =>
  (await readdir(gateway.directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
    .sort();
