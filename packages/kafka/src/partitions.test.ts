import { describe, expect, it } from '@jest/globals';
import kafkajs from 'kafkajs';

const partitions = 1_000;
const partitionOf = (key: string): number =>
  kafkajs.Partitioners.DefaultPartitioner()({
    topic: 'events.stamps',
    partitionMetadata: Array.from({ length: partitions }, (_, partitionId) => ({
      ...{ partitionId, partitionErrorCode: 0, leader: 1, replicas: [1], isr: [1] },
    })),
    message: { key, value: null },
  });

describe('the partition of a key', () => {
  // From Kafka's tests: org.apache.kafka.common.utils.UtilsTest.testMurmur2.
  it.each([
    ['21', -973932308],
    ['foobar', -790332482],
    ['a-little-bit-long-string', -985981536],
    ['a-little-bit-longer-string', -1486304829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
    ['abc', 479470107],
  ])('is that of every Kafka client, so that no key moves: %s', (key, murmur2) => {
    expect(partitionOf(key)).toBe((murmur2 & 0x7fffffff) % partitions);
  });
});
