import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type CopiedRows, copyHeader, holdRows, wholeRows, withoutRows } from './copy-rows.ts';

/** A row of the fields given. */
function row(fields: readonly Uint8Array[]): Buffer {
  const count = Buffer.alloc(2);
  count.writeInt16BE(fields.length);
  return Buffer.concat([
    count,
    ...fields.flatMap((field) => {
      const length = Buffer.alloc(4);
      length.writeInt32BE(field.length);
      return [length, Buffer.from(field)];
    }),
  ]);
}
const trailer = Buffer.from([0xff, 0xff]);
const rows = fc.array(fc.array(fc.uint8Array({ maxLength: 6 }), { minLength: 1, maxLength: 3 }).map(row), {
  maxLength: 12,
});
const chunkBytes = fc.integer({ min: 1, max: 40 });

function* chunksOf(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
const streamOf = (all: readonly Buffer[], size: number): AsyncIterable<CopiedRows> =>
  wholeRows(Readable.from(chunksOf(Buffer.concat([copyHeader, ...all, trailer]), size)));
async function bytesOf(blocks: AsyncIterable<CopiedRows>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const { bytes, start, end } of blocks) parts.push(bytes.subarray(start, end));
  return Buffer.concat(parts);
}

describe('rows of COPY’s binary format', () => {
  it('come whole and in order wherever the stream is cut', async () => {
    await fc.assert(
      fc.asyncProperty(rows, chunkBytes, async (all, size) => {
        expect(await holdRows(streamOf(all, size))).toEqual(all);
      }),
    );
  });

  it('come without those left out, of equal ones as many', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat({ max: 3 }), fc.boolean())), chunkBytes, async (all, size) => {
        const made = all.map(([value, out]) => ({ bytes: row([Uint8Array.of(value)]), out }));
        const left = made.filter(({ out }) => out).map(({ bytes }) => bytes);
        const found = await bytesOf(
          withoutRows(
            streamOf(
              made.map(({ bytes }) => bytes),
              size,
            ),
            left,
          ),
        );
        expect(found.length).toBe((made.length - left.length) * row([Uint8Array.of(0)]).length);
        const sorted = (parts: readonly Buffer[]) => parts.toSorted(Buffer.compare);
        const kept = made.filter(({ out }) => !out).map(({ bytes }) => bytes);
        expect(sorted(await holdRows(streamOf([found], 1_000)))).toEqual(sorted(kept));
      }),
    );
  });

  it('are not taken for complete when one to leave out never came', async () => {
    const missing = row([Uint8Array.of(9)]);
    await expect(bytesOf(withoutRows(streamOf([row([Uint8Array.of(1)])], 8), [missing]))).rejects.toThrow('leave out');
  });
});
