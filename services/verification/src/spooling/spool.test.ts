import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hex } from '@indelible/identifiers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createDiskBudget } from './disk-budget.ts';
import { createSpool } from './spool.ts';

const [ada, bob]: Hex[] = ['0xaa', '0xbb'];

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'indelible-spool-test-'));
});
afterAll(() => rm(directory, { recursive: true }));

const small = { memoryBytes: 64, segmentBytes: 100 };
const spoolOf = (budget = createDiskBudget(2 ** 20), settings: Partial<typeof small & { roomMs: number }> = {}) =>
  createSpool(ada as Hex, { directory, budget, roomMs: 0, ...small, ...settings });

async function readAll(spool: ReturnType<typeof spoolOf>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of spool.read()) parts.push(part);
  return Buffer.concat(parts);
}

describe('a spool', () => {
  it('gives what was written, in order, however writer and reader take turns', async () => {
    const chunk = fc.uint8Array({ minLength: 1, maxLength: 150 }).map((bytes) => Buffer.from(bytes));
    // Of each step: bytes to write, or null for a chunk to read.
    const steps = fc.array(fc.option(chunk, { nil: null, freq: 2 }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const budget = createDiskBudget(2 ** 20);
        const spool = spoolOf(budget);
        const reader = spool.read();
        const written: Buffer[] = [];
        const parts: Buffer[] = [];
        let length = 0;
        let taken = 0;
        for (const step of all) {
          if (step !== null) {
            const shared = Buffer.from(step);
            await spool.write(shared);
            // The writer may reuse its memory.
            shared.fill(0);
            written.push(step);
            length += step.length;
          } else if (taken < length) {
            const { value } = await reader.next();
            parts.push(value as Buffer);
            taken += (value as Buffer).length;
          }
        }
        spool.end();
        for await (const part of reader) parts.push(part);
        expect(Buffer.concat(parts)).toEqual(Buffer.concat(written));
        await spool.close();
        expect(budget.used()).toBe(0);
      }),
      { numRuns: 200 },
    );
  });

  it('gives what is written while it is read, and leaves no file behind', async () => {
    const spool = spoolOf();
    const all = readAll(spool);
    for (let i = 0; i < 500; i++) await spool.write(Buffer.from(`${i},`.repeat(i % 20)));
    expect(await readdir(directory)).toEqual([]);
    spool.end();
    expect((await all).toString()).toBe(Array.from({ length: 500 }, (_value, i) => `${i},`.repeat(i % 20)).join(''));
    await spool.close();
  });

  it('refuses at once what an account has no room for, and not another account’s', async () => {
    const budget = createDiskBudget(8 * small.segmentBytes);
    const full = spoolOf(budget);
    const write = async (spool: typeof full) => {
      for (let i = 0; i < 10; i++) await spool.write(Buffer.alloc(small.segmentBytes));
    };
    await expect(write(full)).rejects.toMatchObject({ name: 'UnavailableError', retryable: true });
    expect(budget.used()).toBe(2 * small.segmentBytes);
    const other = createSpool(bob as Hex, { directory, budget, roomMs: 0, ...small });
    await other.write(Buffer.alloc(small.segmentBytes));
    await full.close();
    await other.close();
    expect(budget.used()).toBe(0);
  });

  it('without room goes at its reader’s pace, however long that takes', async () => {
    const budget = createDiskBudget(4 * small.segmentBytes);
    const spool = spoolOf(budget, { roomMs: 60_000 });
    const all = readAll(spool);
    const written = Array.from({ length: 100 }, (_value, i) => Buffer.alloc(small.segmentBytes, i));
    for (const bytes of written) await spool.write(bytes);
    spool.end();
    expect(await all).toEqual(Buffer.concat(written));
    await spool.close();
  });

  it('gives up a writer without room whose reader takes nothing', async () => {
    const spool = spoolOf(createDiskBudget(4 * small.segmentBytes), { roomMs: 50 });
    await spool.write(Buffer.alloc(small.segmentBytes));
    await expect(spool.write(Buffer.alloc(small.segmentBytes))).rejects.toThrow('room');
    await spool.close();
  });

  it('gives its reader the writer’s failure after what came before it', async () => {
    const spool = spoolOf();
    await spool.write(Buffer.from('some'));
    spool.fail(new Error('the query failed'));
    const reader = spool.read();
    expect(String((await reader.next()).value)).toBe('some');
    await expect(reader.next()).rejects.toThrow('the query failed');
    await expect(spool.write(Buffer.from('more'))).rejects.toThrow('the query failed');
    await spool.close();
  });

  it('that is closed wakes waiting readers and writers', async () => {
    const budget = createDiskBudget(4 * small.segmentBytes);
    const idle = spoolOf(budget);
    const read = readAll(idle);
    await idle.close();
    await expect(read).rejects.toThrow('closed');
    const full = spoolOf(budget, { roomMs: 60_000 });
    await full.write(Buffer.alloc(small.segmentBytes));
    const written = full.write(Buffer.alloc(small.segmentBytes));
    const refused = expect(written).rejects.toThrow('closed');
    await full.close();
    await refused;
    expect(budget.used()).toBe(0);
  });
});
