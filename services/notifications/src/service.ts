import { createInboxKeeper } from '@indelible/event-store';
import { consumerComponent, createServiceBus, inSteps, mergePartitions } from '@indelible/kafka';
import { createDatabase } from '@indelible/postgres';
import { publicTopicOf } from '@indelible/public-events';
import {
  type Component,
  connection,
  createInternalServer,
  createKeeper,
  defineService,
  internalRoutes,
  internalServerOf,
  type Logger,
  type Routes,
  showPools,
} from '@indelible/service-runtime';
import { followLogsRoute, type LogPorts, readEventsRoute } from './api/log-routes.ts';
import { webhookRoutes } from './api/webhook-routes.ts';
import type { Config } from './config.ts';
import { createEventWriter } from './decisions/event-of.ts';
import { schema } from './schema.ts';
import { createLogWatch } from './tables/log-watch.ts';
import { createTelemetry } from './telemetry.ts';
import {
  accountMessages,
  collectionMessages,
  factsOf,
  fileMessages,
  stampMessages,
} from './use-cases/fact-of-message.ts';
import { createLogBlocks } from './use-cases/log-blocks.ts';
import { consumerName, projectFacts, projectionLingerMs } from './use-cases/project-facts.ts';
import { createLogPublisher } from './use-cases/publish-log.ts';
import { createMemoryKeeper } from './use-cases/tend-memory.ts';
import { createWebhooks } from './webhooks/create-webhooks.ts';
import { forgetOldDeliveries, sealAgain } from './webhooks/keep-webhooks.ts';

/** The internal API. See this service's README. @param webhooks all below `/internal/webhooks` */
export const createRoutes = (ports: LogPorts & { readonly logger: Logger }, webhooks: Routes = {}) =>
  internalRoutes(ports.logger, {
    'GET /internal/events': readEventsRoute(ports),
    'POST /internal/events/follow': followLogsRoute(ports),
    ...webhooks,
  });

/** Turns recorded facts into public events: the log of each account, the public topic, and webhooks. */
export const createNotificationsService = defineService('notifications', (config: Config, runtime) => {
  const { logger, fail, tracing, metrics } = runtime;
  const { databaseUrl: url } = config;
  const database = createDatabase({ url, schema, applicationName: 'notifications', logger });
  showPools(metrics, [database]);
  const bus = createServiceBus(config, 'notifications', runtime);
  const publisher = bus.createRecordPublisher();
  const origin = { source: config.eventSource, publicUrl: config.publicUrl };
  const write = createEventWriter(config.contractAddress);
  const telemetry = createTelemetry(logger, metrics, { lanes: () => webhooks.dispatcher.lanes() });
  const { projected: onProjected, published: onPublished } = telemetry;
  const readLog = createLogBlocks(database);
  const webhooks = createWebhooks(config, { database, readLog, origin, telemetry, tracing, logger });
  const watch = createLogWatch({ url, logger });
  const routes = createRoutes({ database, watch, readLog, origin, logger }, webhookRoutes(webhooks.api));
  const project = mergePartitions(
    inSteps(tracing, async (batch) => onProjected(await projectFacts(database, factsOf(batch), write))),
    { lingerMs: projectionLingerMs },
  );
  const components: readonly Component[] = [
    connection('database', { close: database.close, ready: database.reachable }),
    createInboxKeeper({ database, logger }),
    createMemoryKeeper({ database, write, logger, onProjected }),
    createKeeper({
      ...{ of: 'old deliveries of webhooks', logger },
      forget: (limit) => forgetOldDeliveries(database, Date.now(), limit),
    }),
    createKeeper({ of: 'seals by former keys', forget: () => sealAgain(database, webhooks.sealer), logger }),
    createInternalServer({ ...internalServerOf(config), logger, metrics, routes, components: () => components }),
    // After the server, so that it is stopped first: waiting requests are answered then.
    watch,
    publisher,
    createLogPublisher({
      ...{ database, publisher, origin, logger, metrics, onPublished },
      topic: publicTopicOf(config.publicTopicPrefix),
    }),
    webhooks.client,
    webhooks.dispatcher,
    consumerComponent(
      bus,
      { name: 'consumer', groupId: consumerName, concurrency: 8, fail },
      {
        'events.accounts': { contracts: accountMessages, handle: project },
        'events.collections': { contracts: collectionMessages, handle: project },
        'events.stamps': { contracts: stampMessages, handle: project },
        'events.files': { contracts: fileMessages, handle: project },
      },
    ),
  ];
  return components;
});
