import { createMessageBus, type OutgoingMessage, type Publisher } from '@indelible/kafka';
import { publicSchemas, publicTopicOf } from '@indelible/public-events';
import { type Component, startAll, stopAll } from '@indelible/service-runtime';
import { internalUrlOf, type TestDatabase, type TestKafka, testKafka } from '@indelible/testing';
import { expect } from '@jest/globals';
import kafkajs, { type KafkaMessage } from 'kafkajs';
import type { Config } from '../../src/config.ts';
import { createNotificationsService } from '../../src/service.ts';
import { consumedMessages } from '../../src/use-cases/fact-of-message.ts';
import { contractAddress, logger, notificationsDatabase, webhookSealingKeys } from './database.ts';

export type PublicRecord = KafkaMessage & { readonly partition: number };

export const publicUrl = 'https://api.example.com';

/**
 * Topics, a database, a publisher of internal messages and a reader of the public topic: the service's surroundings.
 */
export async function createSurroundings() {
  const database: TestDatabase = await notificationsDatabase();
  const kafka: TestKafka = testKafka();
  const topic = publicTopicOf(kafka.name('indelible.'));
  const bus = createMessageBus({
    brokers: kafka.brokers,
    schemaRegistryUrl: kafka.schemaRegistryUrl,
    clientId: 'test',
    source: 'indelible/test',
    topicPrefix: kafka.prefix,
    logger,
  });
  await bus.provision({
    contracts: consumedMessages,
    publicTopics: [{ name: topic, partitions: 4, retentionMs: 3_600_000, cleanupPolicy: 'delete' }],
    publicSubjects: publicSchemas,
  });
  const publisher: Publisher = bus.createPublisher({ contracts: consumedMessages });
  const client = new kafkajs.Kafka({
    brokers: kafka.brokers,
    clientId: 'subscriber',
    logLevel: kafkajs.logLevel.NOTHING,
  });
  const reader = client.consumer({ groupId: kafka.name('subscriber') });
  const records: PublicRecord[] = [];
  await Promise.all([publisher.start(), reader.connect()]);
  await reader.subscribe({ topic, fromBeginning: true });
  await reader.run({ eachMessage: async ({ message, partition }) => void records.push({ ...message, partition }) });
  const services: (readonly Component[])[] = [];
  let url = '';
  const config: { -readonly [Setting in keyof Config]: Config[Setting] } = {
    databaseUrl: database.url,
    kafkaBrokers: kafka.brokers,
    schemaRegistryUrl: kafka.schemaRegistryUrl,
    topicPrefix: kafka.prefix,
    publicTopicPrefix: kafka.name('indelible.'),
    kafkaSessionTimeoutMs: 10_000,
    eventSource: 'indelible/tests',
    publicUrl,
    contractAddress,
    webhookSealingKeys,
    webhookAllowLoopbackHttp: true,
    webhookDeniedNetworks: [],
    accountWebhooks: 20,
    internalHost: '127.0.0.1',
    internalPort: 0,
    leaveMs: 0,
    logLevel: 'silent',
  };
  return {
    database,
    kafka,
    bus,
    config,
    /** Of the public topic, in the order of each partition. */
    records,
    services,
    /** Of the internal API of the replica in this process that started last. */
    url: () => url,
    publish: (...messages: OutgoingMessage[]) => publisher.publish(messages),
    /** A replica in this process. */
    async start(over: Partial<Config> = {}): Promise<readonly Component[]> {
      const service = createNotificationsService({ ...config, ...over }, logger, (error) => {
        throw error;
      });
      services.push(service);
      await startAll(service);
      url = internalUrlOf(service);
      return service;
    },
    async stop() {
      for (const service of services) await stopAll(service);
      await Promise.all([reader.disconnect(), publisher.stop()]);
      await kafka.dispose();
      await database.drop();
    },
  };
}
export type Surroundings = Awaited<ReturnType<typeof createSurroundings>>;

/** A record as a subscriber reads it: its headers as text, its value parsed. */
export const readRecord = ({ key, value, headers, partition }: PublicRecord) => ({
  partition,
  key: String(key),
  headers: Object.fromEntries(Object.entries(headers ?? {}).map(([name, text]) => [name, String(text)])),
  data: JSON.parse(String(value)) as Record<string, unknown>,
});
export type ReadRecord = ReturnType<typeof readRecord>;

/** The records of a subscriber that drops repeated ids. */
export const distinct = (records: readonly PublicRecord[]): readonly ReadRecord[] => {
  const byId = new Map<string | undefined, ReadRecord>();
  for (const record of records.map(readRecord))
    if (!byId.has(record.headers.ce_id)) byId.set(record.headers.ce_id, record);
  return [...byId.values()];
};

/** Each collection's events are in one partition, with sequences from 1 in order and without gaps. */
export function expectWhole(records: readonly PublicRecord[]): void {
  const byKey = Map.groupBy(distinct(records), ({ key }) => key);
  for (const [key, own] of byKey) {
    expect([key, own.map(({ headers }) => Number(headers.ce_sequence))]).toEqual([key, own.map((_, at) => at + 1)]);
    expect(new Set(own.map(({ partition }) => partition)).size).toBe(1);
  }
}

/** The names of a stamp's events, as a subscriber that drops repeated ids has them. */
export const namesOfStamp = (records: readonly PublicRecord[], stampId: string): string[] =>
  distinct(records)
    .filter(({ headers }) => headers.ce_subject === stampId)
    .map(({ headers }) => headers.ce_type?.replace(/^com\.indelible\.|\.v1$/g, '') ?? '');
