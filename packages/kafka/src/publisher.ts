import { groupIntoRecords, type MessageContract, type TopicName } from '@indelible/messages';
import type { Component } from '@indelible/service-runtime';
import { createBackoff, type Logger } from '@indelible/service-runtime';
import type { BusEvent } from './bus-event.ts';
import { createEncoder, type EncodedMessage, type Encoder } from './codec.ts';
import { BrokerUnavailableError, MessageInvalidError } from './errors.ts';
import type { OutgoingMessage, OutgoingPack } from './message.ts';
import { createMicroBatch } from './micro-batch.ts';
import type { ProducerSession } from './producer-session.ts';
import type { Registry } from './registry.ts';
import type { TopicNames } from './topic-names.ts';
import { untilReady } from './until-ready.ts';

export type PublisherOptions = {
  contracts: readonly MessageContract[];
  /** How long a message waits for others to share its request, when nothing is in flight. Default 1 ms. */
  lingerMs?: number;
  /** Default 512 KiB: under the brokers' limit of 1 MiB per request and partition. */
  maxBatchBytes?: number;
  /** Messages that may wait; more are refused with PublisherBusyError. Default 10,000. */
  maxQueued?: number;
  /** A call is answered within this time. Default 5,000 ms. */
  timeoutMs?: number;
};

export type Publisher = Component & {
  /** Waits for the brokers and the registry. @throws BrokerUnavailableError after 60 s. */
  start(): Promise<void>;
  /**
   * Resolves when all in-sync replicas have all of the messages; the order per key is that of the calls.
   * @throws BrokerUnavailableError when that is not known: publish them again with the same ids.
   * @throws RecordsRefusedError when the broker refuses one of the messages; others of the call may have been written.
   * @throws PublisherBusyError when too many wait, MessageInvalidError when one does not fit its contract: none was sent.
   */
  publish(messages: readonly OutgoingMessage[]): Promise<void>;
  /** Like `publish`, for events of an event store, some in the records in which they are stored. */
  publishRecorded(messages: readonly (OutgoingMessage | OutgoingPack)[]): Promise<void>;
  /** Sends what is queued, then disconnects. */
  stop(): Promise<void>;
  ready(): boolean;
};

type Queued = EncodedMessage & { readonly size: number };

/** Under the brokers' 1 MiB with room for the batch's frame. */
const maxMessageBytes = 960 * 1024;
/** Approximate size of a record's key, headers and frame. */
const overheadBytes = 512;

export const createPublisher = (
  dependencies: {
    session: ProducerSession;
    registry: Registry;
    topicNames: TopicNames;
    source: string;
    logger: Logger;
    onEvent: (event: BusEvent) => void;
  },
  options: PublisherOptions,
): Publisher => {
  const { session, registry, logger } = dependencies;
  const stopping = new AbortController();
  let encoder: Encoder | undefined;

  const started = (): Encoder => {
    if (encoder === undefined) throw new BrokerUnavailableError('The publisher is not started');
    return encoder;
  };

  const batch = createMicroBatch<Queued>({
    send: async (queued) => {
      const { recordOf } = started();
      await session.send(groupIntoRecords(queued, ({ json }) => json.length).map(recordOf));
      const counts = new Map<TopicName, number>();
      for (const { contract, made } of queued)
        counts.set(contract.topic, (counts.get(contract.topic) ?? 0) + (made?.messages ?? 1));
      for (const [topic, count] of counts) dependencies.onEvent({ kind: 'published', topic, count });
    },
    sizeOf: ({ size }) => size,
    lingerMs: options.lingerMs ?? 1,
    maxBatchBytes: options.maxBatchBytes ?? 512 * 1024,
    maxBatchItems: 5000,
    maxQueued: options.maxQueued ?? 10_000,
    timeoutMs: options.timeoutMs ?? 5000,
  });

  const toQueued = (message: OutgoingMessage | OutgoingPack): Queued => {
    const encoded = 'pack' in message ? started().encodePack(message) : started().encode(message);
    const size = (encoded.made?.body.length ?? Buffer.byteLength(encoded.json)) + overheadBytes;
    if (size > maxMessageBytes)
      throw new MessageInvalidError(`${message.contract.type} is larger than a message may be`);
    return { ...encoded, size };
  };

  return {
    name: 'publisher',
    async start() {
      const schemaIds = await untilReady(() => registry.idsOf(options.contracts), {
        timeoutMs: Number.POSITIVE_INFINITY,
        signal: stopping.signal,
        backoff: createBackoff({ firstMs: 100, ceilingMs: 2000 }),
        isTransient: (error) => error instanceof BrokerUnavailableError,
        onFailure: (error, attempt) => logger.debug({ err: error, attempt }, 'The schema registry is not ready'),
      });
      encoder = createEncoder({
        contracts: options.contracts,
        schemaIds,
        source: dependencies.source,
        topicNames: dependencies.topicNames,
      });
      await session.start();
    },
    async publish(messages) {
      await batch.add(messages.map(toQueued));
    },
    async publishRecorded(messages) {
      await batch.add(messages.map(toQueued));
    },
    async stop() {
      stopping.abort();
      await batch.close();
      await session.stop();
    },
    ready: () => encoder !== undefined && !stopping.signal.aborted && session.ready(),
  };
};
