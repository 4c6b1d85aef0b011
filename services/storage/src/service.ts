import { createBlobStore, timeOperations } from '@indelible/blob-store';
import { createInboxKeeper, createRelay } from '@indelible/event-store';
import { consumerComponent, createServiceBus, inSteps, mergePartitions } from '@indelible/kafka';
import { createDatabase, type Database } from '@indelible/postgres';
import { closeRedis, createRedis, createReplySender } from '@indelible/redis';
import {
  type Component,
  connection,
  createInternalServer,
  defineService,
  internalAddress,
  internalRoutes,
  internalServerOf,
  type Logger,
  showPools,
} from '@indelible/service-runtime';
import { fileRoute, lookUpFilesRoute, uploadRoute } from './api/file-routes.ts';
import type { Config } from './config.ts';
import { createStamping } from './neighbours/stamping.ts';
import { publishedEvents } from './published-events.ts';
import { schema } from './schema.ts';
import { countPending } from './tables/pending-files.ts';
import { createTelemetry } from './telemetry.ts';
import { confirmUnheard } from './use-cases/confirm-unheard.ts';
import { fileCommandOf, fileCommands } from './use-cases/file-command-of.ts';
import { handleFileCommands } from './use-cases/handle-file-commands.ts';
import { handleLookedUp, handleStamps } from './use-cases/handle-stamps.ts';
import { joinMoves } from './use-cases/join-moves.ts';
import { lookAtNamingMessages } from './use-cases/look-at-messages.ts';
import { consumerName } from './use-cases/record-stamps.ts';
import { uploadsConsumer } from './use-cases/record-upload.ts';
import { createFileRetries } from './use-cases/retry-files.ts';
import { mayChangeFiles, stampMessages } from './use-cases/stamp-message-of.ts';
import { createSweep } from './use-cases/sweep-staged.ts';

/** The internal API. This service's README describes it. */
export const createRoutes = ({ database, logger }: { database: Pick<Database, 'query'>; logger: Logger }) =>
  internalRoutes(logger, {
    'GET /internal/files/:stampId': fileRoute(database),
    'POST /internal/files/lookup': lookUpFilesRoute(database),
    'GET /internal/uploads/:requestId': uploadRoute(database),
  });

/** Moves content to its final path once its stamp is confirmed. */
export const createStorageService = defineService('storage', (config: Config, runtime) => {
  const { logger, fail, tracing, metrics } = runtime;
  const database = createDatabase({ url: config.databaseUrl, schema, applicationName: 'storage', logger });
  const redis = createRedis(config.redisUrl, { name: 'storage', access: config.redisAccess, logger });
  const blobStore = joinMoves(timeOperations(createBlobStore(config.blobStore), metrics));
  showPools(metrics, [database]);
  const bus = createServiceBus(config, 'storage', runtime);
  const publisher = bus.createPublisher({ contracts: publishedEvents });
  const replies = createReplySender({ redis, keyPrefix: config.topicPrefix, logger });
  const stamping = createStamping(internalAddress(config.stampingUrl, config.internalTokens));
  const telemetry = createTelemetry(logger, metrics, {
    pendingFiles: () => countPending(database),
    deadLetters: () => bus.deadLetters.count(),
  });
  const ports = { database, blobStore, replies, stamping, telemetry, now: () => new Date() };
  const routes = createRoutes({ database, logger });
  const components: readonly Component[] = [
    connection('database', { close: database.close, ready: database.reachable }),
    connection('redis', { close: () => closeRedis(redis) }),
    connection('blob store', { ready: () => blobStore.check() }),
    createInternalServer({ ...internalServerOf(config), logger, metrics, routes, components: () => components }),
    publisher,
    createRelay({ database, publisher, contracts: publishedEvents, logger, metrics }),
    createInboxKeeper({ database, logger }),
    createFileRetries({
      ...{ database, ports, logger, telemetry },
      lookUp: () => confirmUnheard(ports, (confirmations) => handleLookedUp(ports, confirmations)),
    }),
    createSweep({
      ...{ database, blobStore, logger, afterMs: config.sweepAfterMs, intervalMs: config.sweepIntervalMs },
      ...{ look: () => lookAtNamingMessages(bus), onSwept: telemetry.stagingSwept },
    }),
    consumerComponent(
      bus,
      { name: 'consumer', groupId: consumerName, skips: ['no-content'], concurrency: 8, fail },
      {
        'events.stamps': {
          contracts: stampMessages,
          handle: mergePartitions(inSteps(tracing, (batch) => handleStamps(ports, batch), mayChangeFiles)),
        },
      },
    ),
    consumerComponent(
      bus,
      { name: 'uploads consumer', groupId: uploadsConsumer, concurrency: 4, fail },
      {
        'commands.files': {
          contracts: fileCommands,
          handle: inSteps(tracing, (batch) => handleFileCommands(ports, batch.map(fileCommandOf), telemetry)),
        },
      },
    ),
  ];
  return components;
});
