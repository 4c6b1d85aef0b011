import type { Logger } from '@indelible/service-runtime';
import { eventually, testKafka } from '@indelible/testing';
import { Kafka, logLevel } from 'kafkajs';
import type { BusEvent } from '../src/bus-event.ts';
import { createMessageBus, type MessageBus } from '../src/message-bus.ts';

export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => silentLogger };

export type TestBus = {
  readonly bus: MessageBus;
  readonly brokers: readonly string[];
  readonly schemaRegistryUrl: string;
  readonly prefix: string;
  /** Of the members of its groups; undefined: the default. */
  readonly sessionTimeoutMs: number | undefined;
  /** A plain client, to look at and to spoil what the bus has written. */
  readonly plain: Kafka;
  /** What the bus told its hook. */
  readonly events: BusEvent[];
  /** Stops what was given to it, the last first, and deletes the topics. */
  readonly stopLater: <Part extends { stop(): Promise<void> }>(part: Part) => Part;
  dispose(): Promise<void>;
};

/** For tests that wait for the end of a session: still several heartbeats long. */
const shortSessionMs = 3_000;

/** A bus with provisioned topics of its own. */
export const createTestBus = async ({ shortSessions = false } = {}): Promise<TestBus> => {
  const kafka = testKafka();
  const sessionTimeoutMs = shortSessions ? Math.max(shortSessionMs, await kafka.shortestSessionMs()) : undefined;
  const events: BusEvent[] = [];
  const parts: { stop(): Promise<void> }[] = [];
  const bus = createMessageBus({
    brokers: kafka.brokers,
    schemaRegistryUrl: kafka.schemaRegistryUrl,
    clientId: 'kafka-tests',
    source: 'indelible/tests',
    topicPrefix: kafka.prefix,
    logger: silentLogger,
    onEvent: (event) => events.push(event),
    ...(sessionTimeoutMs !== undefined && { sessionTimeoutMs }),
  });
  await bus.provision();
  return {
    bus,
    brokers: kafka.brokers,
    schemaRegistryUrl: kafka.schemaRegistryUrl,
    prefix: kafka.prefix,
    sessionTimeoutMs,
    plain: new Kafka({ brokers: kafka.brokers, clientId: 'kafka-tests', logLevel: logLevel.NOTHING }),
    events,
    stopLater(part) {
      parts.unshift(part);
      return part;
    },
    async dispose() {
      for (const part of parts) await part.stop();
      await kafka.dispose();
    },
  };
};

/** Resolves when the condition holds; throws when it does not within 30 s. */
export const until = (condition: () => boolean | Promise<boolean>): Promise<void> =>
  eventually(
    async () => {
      if (!(await condition())) throw new Error(`not so: ${condition}`);
    },
    { timeoutMs: 30_000, intervalMs: 5 },
  );
