import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMessageBus, isMessage } from '@indelible/kafka';
import { StampConfirmed } from '@indelible/messages';
import { createLogger } from '@indelible/service-runtime';
import type { SubscribersSettings } from './subscribers.ts';

/** Teams that follow confirmed stamps, each with a consumer group of its own, in one process. It tells how many each had. */
process.once('message', async (settings: SubscribersSettings) => {
  const { kafkaBrokers, schemaRegistryUrl, topicPrefix, groups } = settings;
  const bus = createMessageBus({
    brokers: kafkaBrokers.split(','),
    schemaRegistryUrl,
    clientId: 'bench-subscribers',
    source: 'indelible/bench',
    topicPrefix,
    logger: createLogger({ service: 'subscribers', level: 'warn' }),
  });
  const seen = groups.map(() => new Set<string>());
  const consumers = groups.map((groupId, at) =>
    bus.createConsumer({
      ...{ groupId, contracts: [StampConfirmed], fromBeginning: false, concurrency: 8 },
      handle: async (messages) => {
        for (const message of messages) if (isMessage(message, StampConfirmed)) seen[at]?.add(message.data.stampId);
      },
    }),
  );
  // They leave their groups, so that nothing of them goes on beside the next round.
  process.once('disconnect', async () => {
    await Promise.all(consumers.map((consumer) => consumer.stop()));
    process.exit();
  });
  await Promise.all(consumers.map((consumer) => consumer.start()));
  const server = createServer((_request, response) => response.end(JSON.stringify(seen.map(({ size }) => size))));
  server.listen(0, '127.0.0.1', () => {
    process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });
});
