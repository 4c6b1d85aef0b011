import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { countBatches, readKafkaLogs } from './kafka-logs.ts';

/** A record batch as a segment has it: base offset, length, and so many bytes. */
function batchOf(offset: bigint, bytes: number): Buffer {
  const batch = Buffer.alloc(12 + bytes);
  batch.writeBigInt64BE(offset, 0);
  batch.writeInt32BE(bytes, 8);
  return batch;
}

describe('batches of a segment', () => {
  it('are counted by their lengths, whatever their offsets', () => {
    expect(countBatches(Buffer.concat([batchOf(0n, 60), batchOf(1n, 49), batchOf(500n, 4_000)]))).toBe(3);
  });

  it('count only when they are whole', () => {
    const whole = batchOf(0n, 60);
    expect(countBatches(Buffer.concat([whole, batchOf(1n, 60).subarray(0, 40)]))).toBe(1);
    expect(countBatches(Buffer.concat([whole, whole.subarray(0, 7)]))).toBe(1);
    expect(countBatches(Buffer.alloc(0))).toBe(0);
  });
});

describe('logs of Kafka', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'indelible-kafka-logs-'));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('are counted apart: those of topics, and the offsets of groups', async () => {
    for (const [folder, count] of [
      ['events.stamps-0', 2],
      ['events.stamps-1', 1],
      ['__consumer_offsets-0', 4],
    ] as const) {
      await mkdir(join(directory, folder));
      const batches = Array.from({ length: count }, (_, at) => batchOf(BigInt(at), 88));
      await writeFile(join(directory, folder, '00000000000000000000.log'), Buffer.concat(batches));
      await writeFile(join(directory, folder, '00000000000000000000.index'), Buffer.alloc(1_000));
    }
    await writeFile(join(directory, 'meta.properties'), 'version=1');
    expect(await readKafkaLogs(directory)).toEqual({ bytes: 300, batches: 3, offsetBatches: 4 });
  });
});
