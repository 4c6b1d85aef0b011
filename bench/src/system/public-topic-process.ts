import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import kafkajs from 'kafkajs';
import { quantilesOf } from '../measuring/quantiles.ts';
import type { PublicTopicSettings, TopicReading } from './public-topic.ts';

/** A subscriber of the public topic, with a standard client and nothing of ours. It tells what it had, and how late. */
process.once('message', async ({ kafkaBrokers, topic, groupId }: PublicTopicSettings) => {
  const { Kafka, logLevel } = kafkajs;
  const kafka = new Kafka({ brokers: kafkaBrokers.split(','), clientId: groupId, logLevel: logLevel.ERROR });
  const consumer = kafka.consumer({ groupId, maxWaitTimeInMs: 100 });
  const sequences = new Map<string, number>();
  let events = 0;
  let outOfOrder = 0;
  let lateMs: number[] = [];
  const reading = (): TopicReading => {
    const late = lateMs.length === 0 ? null : { stamps: lateMs.length, ms: quantilesOf(lateMs) };
    return { events, outOfOrder, late };
  };
  process.once('disconnect', async () => {
    await consumer.disconnect();
    process.exit();
  });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({
    eachBatchAutoResolve: true,
    eachBatch: async ({ batch }) => {
      const arrivedAt = Date.now();
      for (const { key, headers } of batch.messages) {
        const collection = String(key);
        const sequence = Number(headers?.ce_sequence);
        const had = sequences.get(collection) ?? 0;
        // At least once: what it had comes again.
        if (sequence <= had) continue;
        if (sequence > had + 1) outOfOrder += 1;
        sequences.set(collection, sequence);
        events += 1;
        if (String(headers?.ce_type).startsWith('com.indelible.stamp.confirmed.'))
          lateMs.push(arrivedAt - Date.parse(String(headers?.ce_time)));
      }
    },
  });
  const server = createServer(({ url }, response) => {
    response.end(JSON.stringify(reading()));
    if (url === '/take') lateMs = [];
  });
  server.listen(0, '127.0.0.1', () => {
    process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });
});
