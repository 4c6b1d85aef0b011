import { createMessageBus, type PublicSubject } from '@indelible/kafka';
import { testKafka } from '@indelible/testing';

const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };

/** The registry of a test file, which takes schemas of public events, or refuses them. */
export function testRegistry() {
  const kafka = testKafka();
  const bus = createMessageBus({
    brokers: kafka.brokers,
    schemaRegistryUrl: kafka.schemaRegistryUrl,
    clientId: 'test',
    source: 'test',
    topicPrefix: kafka.prefix,
    logger: silent,
  });
  return {
    register: (...publicSubjects: readonly PublicSubject[]) => bus.provision({ contracts: [], publicSubjects }),
    dispose: () => kafka.dispose(),
  };
}
