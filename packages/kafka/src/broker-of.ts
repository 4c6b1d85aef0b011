import type { KafkaSecurity, RegistryAccess } from '@indelible/service-runtime';
import type { MessageBusOptions } from './message-bus.ts';

/** Broker settings, by their names in the configuration of all services. */
export type BrokerConfig = {
  readonly kafkaBrokers: readonly string[];
  readonly kafkaSecurity?: KafkaSecurity | undefined;
  readonly schemaRegistryUrl: string;
  readonly schemaRegistryAccess?: RegistryAccess | undefined;
  readonly topicPrefix: string;
  readonly kafkaSessionTimeoutMs?: number;
};

/** What a message bus needs of it. */
export const brokerOf = (
  config: BrokerConfig,
): Pick<
  MessageBusOptions,
  'brokers' | 'security' | 'schemaRegistryUrl' | 'schemaRegistryAccess' | 'topicPrefix' | 'sessionTimeoutMs'
> => ({
  brokers: config.kafkaBrokers,
  schemaRegistryUrl: config.schemaRegistryUrl,
  topicPrefix: config.topicPrefix,
  ...(config.kafkaSecurity && { security: config.kafkaSecurity }),
  ...(config.schemaRegistryAccess && { schemaRegistryAccess: config.schemaRegistryAccess }),
  ...(config.kafkaSessionTimeoutMs !== undefined && { sessionTimeoutMs: config.kafkaSessionTimeoutMs }),
});
