import { describe, expect, it } from '@jest/globals';
import kafkajs, { CompressionTypes } from 'kafkajs';
import { compressionOf } from './compression.ts';

describe('the compression of a request', () => {
  it('is left out for a few bytes', () => {
    expect(compressionOf([{ value: Buffer.alloc(1_000) }, { value: null }])).toBe(CompressionTypes.None);
  });

  it('is gzip for many, however many records they are of, and kafkajs reads what it writes', async () => {
    const values = Array.from({ length: 5 }, (_, at) => ({ value: Buffer.from(`${at}`.repeat(1_000)) }));
    expect(compressionOf(values)).toBe(CompressionTypes.GZIP);
    const codec = kafkajs.CompressionCodecs[CompressionTypes.GZIP]();
    const buffer = Buffer.concat(values.map(({ value }) => value));
    const packed: Buffer = await codec.compress({ buffer });
    expect(packed.length).toBeLessThan(buffer.length / 10);
    expect(await codec.decompress(packed)).toEqual(buffer);
  });
});
