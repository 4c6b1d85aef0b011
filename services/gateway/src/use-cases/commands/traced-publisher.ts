import type { Publisher } from '@indelible/kafka';
import { handleInSteps, sending, type Tracing } from '@indelible/service-runtime';

type Publishing = Pick<Publisher, 'publish'>;

/** Publishing is a step of the traces of what is published: the consumer continues from it. Commands of one call are of one topic. */
export const tracedPublisher = (publisher: Publishing, tracing: Tracing): Publishing =>
  tracing.on
    ? {
        publish: (messages) =>
          handleInSteps(tracing, messages, sending(messages[0]?.contract.topic ?? 'nothing'), (carrying) =>
            publisher.publish(carrying),
          ),
      }
    : publisher;
