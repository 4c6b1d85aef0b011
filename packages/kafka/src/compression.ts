import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import kafkajs, { CompressionTypes } from 'kafkajs';
import type { OutgoingRecord } from './codec.ts';

/** A smaller request gains little. */
const leastBytes = 4_096;

/** The fastest: public events shrink to a ninth. The default level takes three times the CPU for a little more. */
const level = 1;

const [pack, unpack] = [promisify(gzip), promisify(gunzip)];
kafkajs.CompressionCodecs[CompressionTypes.GZIP] = () => ({
  compress: ({ buffer }: { readonly buffer: Buffer }) => pack(buffer, { level }),
  decompress: (buffer: Buffer) => unpack(buffer),
});

/** Gzip, which every client reads, when it is worth it. */
export const compressionOf = (records: readonly Pick<OutgoingRecord, 'value'>[]): CompressionTypes => {
  const bytes = records.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
  return bytes < leastBytes ? CompressionTypes.None : CompressionTypes.GZIP;
};
