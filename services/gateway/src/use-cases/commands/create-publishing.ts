import { accountsMessages } from '@indelible/accounts';
import type { MessageBus } from '@indelible/kafka';
import {
  CreateCollection,
  commandGroups,
  KeepNonConfirmedContent,
  RequestStamp,
  StoreUploadedContent,
} from '@indelible/messages';
import { stageDurations, type Tracing } from '@indelible/service-runtime';
import type { Registry } from 'prom-client';
import type { Config } from '../../config.ts';
import { boundByLag } from '../../limits/bound-by-lag.ts';
import { timeAccepting } from './time-accepting.ts';
import { tracedPublisher } from './traced-publisher.ts';

/** Commands, and the events of the accounts schema. */
const published = [RequestStamp, CreateCollection, StoreUploadedContent, KeepNonConfirmedContent, ...accountsMessages];

/** The gateway's publisher; its commands are timed, traced, and refused while too many wait to be handled. */
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
