import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readUpload, UploadError } from './read-upload.ts';

const cid = '0123456789abcdef'.repeat(4);
const lastLine = `${JSON.stringify({ end: true, name: 'x', folded: 'x', owner: null })}\n`;

/** The rows of a chunked upload, or its fault. */
async function read(chunks: readonly Buffer[]): Promise<Buffer | string> {
  const rows: Buffer[] = [];
  try {
    for await (const batch of readUpload(Readable.from(chunks))) rows.push(Buffer.from(batch.rows));
    return Buffer.concat(rows);
  } catch (error) {
    if (error instanceof UploadError) return error.message;
    throw error;
  }
}

/** Bytes cut at the places given, each a part of the length. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...places.map((place) => Math.floor(place * bytes.length)), bytes.length].sort((a, b) => a - b);
  return ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end)).filter((part) => part.length > 0);
}

/** A space before a line changes nothing in JSON, but keeps it from being plain. */
const unplain = (line: string): string => ` ${line}`;

describe('an upload', () => {
  it('gives a row of COPY’s binary format for each object', async () => {
    const rows = await read([Buffer.from(`["${cid}",4294967297,"now"]\n${lastLine}`)]);
    const row = Buffer.concat([
      Buffer.from([0, 4, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 32]),
      Buffer.from(cid, 'hex'),
      Buffer.from([0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 3]),
      Buffer.from('now'),
    ]);
    expect(rows).toEqual(row);
  });

  it('means the same however its objects are written and wherever it is cut into chunks', async () => {
    const objects = fc.array(
      fc.tuple(
        fc.constant(cid),
        fc.oneof(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 253_402_300_799 })),
        fc.oneof(fc.string({ maxLength: 40 }), fc.string({ unit: 'grapheme', maxLength: 40 })),
      ),
      { maxLength: 400 },
    );
    const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(objects, places, async (values, at) => {
        const lines = values.map((value) => `${JSON.stringify(value)}\n`);
        const plain = cut(Buffer.from(lines.join('') + lastLine), at);
        const other = cut(Buffer.from(lines.map(unplain).join('') + lastLine), []);
        expect(await read(plain)).toEqual(await read(other));
      }),
      { numRuns: 200 },
    );
  });

  it('is refused for the same fault in a plain line as in any other', async () => {
    const line = `["${cid}",1700000000,"2023-11-14T22:13:20+00:00"]`;
    const bytes = fc.constantFrom(...'09afgAF[]{}",:. \\\t\u007f-+eé');
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: line.length - 1 }), fc.nat({ max: 2 }), bytes, async (at, removed, put) => {
        const changed = line.slice(0, at) + put + line.slice(at + removed);
        fc.pre(!changed.startsWith('{'));
        const of = (text: string) => read([Buffer.from(`${text}\n${lastLine}`)]);
        expect(await of(changed)).toEqual(await of(unplain(changed)));
      }),
      { numRuns: 1_000 },
    );
  });

  it('comes in parts of bounded size, with consecutive positions', async () => {
    const lines = Array.from({ length: 5_000 }, (_value, i) => `["${cid}",${i},"${'x'.repeat(i % 99)}"]\n`);
    const positions: number[] = [];
    let count = 0;
    for await (const batch of readUpload(Readable.from([Buffer.from(lines.join('') + lastLine)]))) {
      expect(batch.rows.length).toBeLessThan(64 * 1024);
      positions.push(batch.rows.readInt32BE(6));
      expect(positions.at(-1)).toBe(count);
      count += batch.count;
    }
    expect([count, positions.length > 3]).toEqual([5_000, true]);
  });
});
