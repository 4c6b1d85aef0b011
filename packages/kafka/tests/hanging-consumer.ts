import type { Logger } from '@indelible/service-runtime';
import { createMessageBus } from '../src/index.ts';
import { contracts } from './messages-for-tests.ts';

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };

/** A process that takes a message, says so, and never gets done with it. Arguments: brokers, registry, prefix, group, session timeout in ms. */
const [brokers = '', schemaRegistryUrl = '', topicPrefix = '', groupId = '', session = ''] = process.argv.slice(2);
const bus = createMessageBus({
  brokers: brokers.split(','),
  schemaRegistryUrl,
  clientId: 'hanging-consumer',
  source: 'indelible/tests',
  topicPrefix,
  sessionTimeoutMs: Number(session),
  logger: silent,
});
const consumer = bus.createConsumer({
  groupId,
  contracts,
  handle: (batch) => {
    process.stdout.write(`${batch.map(({ id }) => id).join(' ')}\n`);
    return new Promise(() => undefined);
  },
});
await consumer.start();
