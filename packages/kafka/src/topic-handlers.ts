import type { MessageContract, TopicName } from '@indelible/messages';
import { handleInSteps, processing, type Tracing } from '@indelible/service-runtime';
import type { Handle } from './batch-runner.ts';
import type { ConsumerOptions } from './consumer.ts';
import type { IncomingMessage } from './message.ts';

/** The handlers of each topic's messages. */
export type TopicHandlers = {
  readonly [Topic in TopicName]?: { readonly contracts: readonly MessageContract[]; readonly handle: Handle };
};

/** @throws Error for a contract of another topic than it is listed under */
export function byTopic(handlers: TopicHandlers): Pick<ConsumerOptions, 'contracts' | 'handle'> {
  const entries = Object.entries(handlers);
  for (const [topic, { contracts }] of entries)
    for (const contract of contracts)
      if (contract.topic !== topic) throw new Error(`${contract.type} is a message of ${contract.topic}, not ${topic}`);
  return {
    contracts: entries.flatMap(([, { contracts }]) => contracts),
    async handle(batch, context) {
      const handler = handlers[context.topic];
      if (handler === undefined) throw new Error(`nothing handles ${context.topic}`);
      await handler.handle(batch, context);
    },
  };
}

/**
 * Handles messages as a step of their traces: `work` gets them with the contexts of the step.
 * @param concerns the messages that are handled; default: all
 */
export const inSteps =
  (
    tracing: Tracing,
    work: (messages: readonly IncomingMessage[]) => Promise<void>,
    concerns: (message: IncomingMessage) => boolean = () => true,
  ): Handle =>
  (batch, { topic }) =>
    handleInSteps(tracing, batch.filter(concerns), processing(topic), work);
