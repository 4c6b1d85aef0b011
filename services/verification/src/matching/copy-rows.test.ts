import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { copyHeader, createRowSource, type RowSource, wholeRows } from './copy-rows.ts';

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
const sourceOf = (all: readonly Buffer[], size: number): RowSource =>
  createRowSource(wholeRows(Readable.from(chunksOf(Buffer.concat([copyHeader, ...all, trailer]), size))));
const taken = async (source: RowSource): Promise<Buffer> => {
  const { bytes, start, end } = await source.next();
  return Buffer.from(bytes.subarray(start, end));
};

describe('rows of COPY’s binary format', () => {
  it('come whole and in order wherever the stream is cut', async () => {
    await fc.assert(
      fc.asyncProperty(rows, chunkBytes, async (all, size) => {
        const source = sourceOf(all, size);
        for (const each of all) expect(await taken(source)).toEqual(each);
        await source.end();
      }),
    );
  });

  it('are taken one by one or many at once', async () => {
    await fc.assert(
      fc.asyncProperty(rows, chunkBytes, fc.array(fc.boolean()), async (all, size, wholes) => {
        const source = sourceOf(all, size);
        const bytes = Buffer.concat(all);
        let seen = Buffer.alloc(0);
        for (let turn = 0; seen.length < bytes.length; turn++) {
          if (wholes[turn] === true) {
            const rest = await source.rest();
            seen = Buffer.concat([seen, rest.bytes.subarray(rest.start, rest.end)]);
            source.take(rest.end);
          } else seen = Buffer.concat([seen, await taken(source)]);
        }
        expect(seen).toEqual(bytes);
        await source.end();
      }),
    );
  });

  it('are not taken for complete when one is missing, nor when one is left', async () => {
    const one = row([Uint8Array.of(1)]);
    const missing = sourceOf([one], 8);
    await missing.next();
    await expect(missing.rest()).rejects.toThrow('fewer rows');
    await expect(sourceOf([one], 8).end()).rejects.toThrow('more rows');
  });
});
