import { accountsMessages } from '@indelible/accounts';
import type { MessageBus, Publisher } from '@indelible/kafka';
import {
  CreateCollection,
  commandGroups,
  KeepNonConfirmedContent,
  RequestStamp,
  StoreUploadedContent,
} from '@indelible/messages';
import { handleInSteps, sending, stageDurations, type Tracing } from '@indelible/service-runtime';
import type { Registry } from 'prom-client';
import type { Config } from '../../config.ts';
import { boundByLag } from '../../limits/bound-by-lag.ts';
import { timeAccepting } from './time-accepting.ts';

/** Commands, and the events of the accounts schema. */
const published = [RequestStamp, CreateCollection, StoreUploadedContent, KeepNonConfirmedContent, ...accountsMessages];

/** The gateway's publisher: times and traces commands, and refuses them while too many wait to be handled. */
export function createPublishing(
  config: Pick<Config, 'maxWaiting' | 'maxCommandLag'>,
  ports: {
    readonly bus: Pick<MessageBus, 'createPublisher' | 'createGroupLag'>;
    readonly metrics: Registry;
    readonly tracing: Tracing;
  },
) {
  const { bus, metrics, tracing } = ports;
  const publisher = bus.createPublisher({ contracts: published, maxQueued: config.maxWaiting });
  const lag = bus.createGroupLag({ groups: commandGroups });
  const { accept } = stageDurations(metrics, ['accept']);
  const bounded = boundByLag(timeAccepting(publisher, accept), { lag, maxLag: config.maxCommandLag, metrics });
  return { publisher, lag, commands: tracedPublisher(bounded, tracing) };
}

type Publishing = Pick<Publisher, 'publish'>;

/**
 * Publishing is a step in the traces of the messages: the consumer continues from it. All commands of a call have one
 * topic.
 */
const tracedPublisher = (publisher: Publishing, tracing: Tracing): Publishing =>
  tracing.on
    ? {
        publish: (messages) =>
          handleInSteps(tracing, messages, sending(messages[0]?.contract.topic ?? 'nothing'), (carrying) =>
            publisher.publish(carrying),
          ),
      }
    : publisher;
