import type { Component, Logger } from '@indelible/service-runtime';
import type { Registry as Metrics } from 'prom-client';
import { type BrokerConfig, brokerOf } from './broker-of.ts';
import type { ConsumerOptions } from './consumer.ts';
import { createMessageBus, type MessageBus } from './message-bus.ts';
import { byTopic, type TopicHandlers } from './topic-handlers.ts';

/** The bus of a service, by its name. @param clientId of a replica; default: the service's name */
export const createServiceBus = (
  config: BrokerConfig,
  service: string,
  { logger, metrics, clientId = service }: { logger: Logger; metrics: Metrics; clientId?: string },
): MessageBus => createMessageBus({ ...brokerOf(config), clientId, source: `indelible/${service}`, logger, metrics });

/**
 * A consumer group's part in a service.
 * @param topics which it consumes, and what handles each
 */
export function consumerComponent(
  bus: Pick<MessageBus, 'createConsumer'>,
  options: Omit<ConsumerOptions, 'contracts' | 'handle'> & {
    /** In readiness and in the log. */
    readonly name: string;
    /** Called when it cannot continue. */
    readonly fail: (error: unknown) => void;
    /** Of services that others send requests to ({@link Consumer.stalled}). Default false. */
    readonly readyWhenStalled?: boolean;
  },
  topics: TopicHandlers,
): Component {
  const { name, fail, readyWhenStalled = false, ...rest } = options;
  const consumer = bus.createConsumer({ ...rest, ...byTopic(topics) });
  consumer.onFatal(fail);
  return {
    name,
    start: consumer.start,
    stop: consumer.stop,
    ready: () => consumer.ready() && (readyWhenStalled || !consumer.stalled()),
  };
}
