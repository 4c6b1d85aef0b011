import { createInboxKeeper } from '@indelible/event-store';
import { createMessageBus, mergePartitions } from '@indelible/kafka';
import { createDatabase } from '@indelible/postgres';
import { publicTopicOf } from '@indelible/public-events';
import { type Component, createInternalServer, type Logger } from '@indelible/service-runtime';
import { Registry } from 'prom-client';
import { createLogWatch } from './api/log-watch.ts';
import { createRoutes } from './api/routes.ts';
import type { Config } from './config.ts';
import { createEventWriter } from './decisions/event-of.ts';
import { schema } from './migrations/migrations.ts';
import { oldestUnpublished } from './tables/unpublished.ts';
import { createTelemetry } from './telemetry.ts';
import { consumedMessages, factOf } from './use-cases/fact-of-message.ts';
import { consumerName, projectFacts } from './use-cases/project-facts.ts';
import { createLogPublisher } from './use-cases/publish-log.ts';
import { createMemoryKeeper } from './use-cases/tend-memory.ts';

/**
 * The wiring, topic to use case:
 * events.stamps, events.files, events.collections, events.accounts → use-cases/project-facts.ts (what is public of them: the log)
 * schema notifications, log and unpublished → use-cases/publish-log.ts → the public topic
 * GET /internal/events → use-cases/read-events.ts
 * timers → use-cases/tend-memory.ts (files whose confirmation does not come; what is forgotten)
 */
export function createNotificationsService(
  config: Config,
  logger: Logger,
  fail: (error: unknown) => void,
): readonly Component[] {
  const database = createDatabase({ url: config.databaseUrl, schema, applicationName: 'notifications', logger });
  const metrics = new Registry();
  const bus = createMessageBus({
    brokers: config.kafkaBrokers,
    schemaRegistryUrl: config.schemaRegistryUrl,
    clientId: 'notifications',
    source: 'indelible/notifications',
    topicPrefix: config.topicPrefix,
    sessionTimeoutMs: config.kafkaSessionTimeoutMs,
    logger,
    metrics,
  });
  const origin = { source: config.eventSource, publicUrl: config.publicUrl };
  const write = createEventWriter(config.contractAddress);
  const publisher = bus.createRecordPublisher();
  const consumer = bus.createConsumer({
    groupId: consumerName,
    contracts: consumedMessages,
    concurrency: 8,
    handle: mergePartitions(async (batch) => {
      const facts = batch.flatMap((message) => factOf(message) ?? []);
      telemetry.projected(await projectFacts(database, facts, write));
    }),
  });
  consumer.onFatal(fail);
  const telemetry = createTelemetry(logger, metrics, {
    lag: () => consumer.lag(),
    oldestUnpublished: () => oldestUnpublished(database),
  });
  const watch = createLogWatch({ url: config.databaseUrl, logger });
  const components: Component[] = [];
  const server = createInternalServer({
    host: config.internalHost,
    port: config.internalPort,
    logger,
    components: () => components,
    routes: createRoutes({ database, watch, origin, logger }),
    metrics,
  });
  components.push(
    { name: 'database', async start() {}, stop: () => database.close(), ready: () => database.reachable() },
    createInboxKeeper({ database, logger }),
    createMemoryKeeper({ database, write, logger, onProjected: telemetry.projected }),
    server,
    // Behind the server, so that it is stopped first: who waits is answered then.
    watch,
    {
      name: 'publisher',
      start: () => publisher.start(),
      stop: () => publisher.stop(),
      ready: () => publisher.ready(),
    },
    createLogPublisher({
      database,
      publisher,
      topic: publicTopicOf(config.publicTopicPrefix),
      origin,
      logger,
      metrics,
      onPublished: telemetry.published,
    }),
    {
      name: 'consumer',
      start: () => consumer.start(),
      stop: () => consumer.stop(),
      ready: () => consumer.ready() && !consumer.stalled(),
    },
  );
  return components;
}
