import { createInboxKeeper } from '@indelible/event-store';
import { brokerOf, createMessageBus, mergePartitions } from '@indelible/kafka';
import { createDatabase } from '@indelible/postgres';
import { publicTopicOf } from '@indelible/public-events';
import {
  type Component,
  createInternalServer,
  createKeeper,
  createServiceMetrics,
  handleInSteps,
  type Logger,
  noTracing,
  processing,
  showPools,
  type Tracing,
} from '@indelible/service-runtime';
import { createSealer, createWebhookClient } from '@indelible/webhook-requests';
import { createLogWatch } from './api/log-watch.ts';
import { createRoutes } from './api/routes.ts';
import { createWebhookRoutes } from './api/webhook-routes.ts';
import type { Config } from './config.ts';
import { createEventWriter } from './decisions/event-of.ts';
import { schema } from './migrations/migrations.ts';
import { createTelemetry } from './telemetry.ts';
import { consumedMessages, factOf } from './use-cases/fact-of-message.ts';
import { createLogBlocks } from './use-cases/log-blocks.ts';
import { consumerName, projectFacts } from './use-cases/project-facts.ts';
import { createLogPublisher } from './use-cases/publish-log.ts';
import { createMemoryKeeper } from './use-cases/tend-memory.ts';
import { createWebhookDispatcher } from './webhooks/dispatcher.ts';
import { forgetOldDeliveries, sealAgain } from './webhooks/keep-webhooks.ts';
import { createWebhookTest } from './webhooks/test-webhook.ts';

/**
 * A transaction costs a dozen statements, whatever it holds: what comes in this time goes together. And those who wait for the same
 * confirmations are served first.
 */
const projectionLingerMs = 200;

/**
 * The wiring, topic to use case:
 * events.stamps, events.files, events.collections, events.accounts → use-cases/project-facts.ts (what is public of them: the log)
 * schema notifications, log and unpublished → use-cases/publish-log.ts → the public topic
 * GET /internal/events → use-cases/read-events.ts
 * /internal/webhooks → webhooks/manage.ts, webhooks/redeliver.ts, webhooks/test-webhook.ts
 * schema notifications, log and webhooks → webhooks/dispatcher.ts → the receivers of webhooks
 * timers → use-cases/tend-memory.ts (files whose confirmation does not come; what is forgotten)
 */
export function createNotificationsService(
  config: Config,
  logger: Logger,
  fail: (error: unknown) => void,
  tracing: Tracing = noTracing,
  metrics = createServiceMetrics('notifications'),
): readonly Component[] {
  tracing.countIn(metrics);
  const database = createDatabase({ url: config.databaseUrl, schema, applicationName: 'notifications', logger });
  showPools(metrics, [database]);
  const bus = createMessageBus({
    ...brokerOf(config),
    clientId: 'notifications',
    source: 'indelible/notifications',
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
    handle: mergePartitions(
      (batch, { topic }) =>
        handleInSteps(tracing, batch, processing(topic), async (messages) => {
          const facts = messages.flatMap((message) => factOf(message) ?? []);
          telemetry.projected(await projectFacts(database, facts, write));
        }),
      { lingerMs: projectionLingerMs },
    ),
  });
  consumer.onFatal(fail);
  const telemetry = createTelemetry(logger, metrics, { lanes: () => dispatcher.lanes() });
  const sealer = createSealer(config.webhookSealingKeys);
  const allowLoopbackHttp = config.webhookAllowLoopbackHttp;
  const deniedNetworks = config.webhookDeniedNetworks;
  const client = createWebhookClient({ allowLoopbackHttp, deniedNetworks });
  const readLog = createLogBlocks(database);
  const sending = { database, client, sealer, origin, tracing, now: Date.now };
  const dispatcher = createWebhookDispatcher({
    ...sending,
    readLog,
    url: config.databaseUrl,
    schema,
    logger,
    onDelivery: telemetry.attempted,
    onDisabled: telemetry.webhookDisabled,
  });
  const watch = createLogWatch({ url: config.databaseUrl, logger });
  const components: Component[] = [];
  const server = createInternalServer({
    host: config.internalHost,
    port: config.internalPort,
    tokens: config.internalTokens,
    logger,
    components: () => components,
    routes: createRoutes(
      { database, watch, readLog, origin, logger },
      createWebhookRoutes({
        ...sending,
        allowLoopbackHttp,
        deniedNetworks,
        mostWebhooks: config.accountWebhooks,
        test: createWebhookTest(sending),
      }),
    ),
    metrics,
  });
  components.push(
    { name: 'database', async start() {}, stop: () => database.close(), ready: () => database.reachable() },
    createInboxKeeper({ database, logger }),
    createMemoryKeeper({ database, write, logger, onProjected: telemetry.projected }),
    createKeeper({
      of: 'old deliveries of webhooks',
      forget: (limit) => forgetOldDeliveries(database, Date.now(), limit),
      logger,
    }),
    createKeeper({ of: 'seals by former keys', forget: () => sealAgain(database, sealer), logger }),
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
    { name: 'webhook client', async start() {}, stop: () => client.close() },
    dispatcher,
    {
      name: 'consumer',
      start: () => consumer.start(),
      stop: () => consumer.stop(),
      ready: () => consumer.ready() && !consumer.stalled(),
    },
  );
  return components;
}
