import { createInboxKeeper } from '@indelible/event-store';
import { consumerComponent, createServiceBus, messagesOf } from '@indelible/kafka';
import { CollectionRegistered } from '@indelible/messages';
import { createDatabase, type Database } from '@indelible/postgres';
import {
  type Component,
  connection,
  createInternalServer,
  createRepublishRequests,
  defineService,
  internalAddress,
  internalRoutes,
  internalServerOf,
  type Logger,
  showPools,
} from '@indelible/service-runtime';
import { answerRefusal, cursorRoute, listReceiptsRoute, lookUpRoute, verifyCollectionRoute } from './api/routes.ts';
import type { Config } from './config.ts';
import { createFairSeats } from './matching/fair-seats.ts';
import { createMatchingSessions, type MatchingSessions } from './matching/sessions.ts';
import { chainMessages } from './projections/chain-message.ts';
import { projectCollections } from './projections/collections.ts';
import { consumerName } from './projections/commitments.ts';
import { createCursorWatch } from './projections/cursor-watch.ts';
import { schema } from './schema.ts';
import { createDiskBudget } from './spooling/disk-budget.ts';
import { createTelemetry } from './telemetry.ts';
import { handleBlocks } from './use-cases/handle-blocks.ts';
import type { LookUpPorts } from './use-cases/look-up-commitments.ts';
import type { VerifyPorts } from './use-cases/verify-collection.ts';

/** Concurrent collection verifications: each holds up to 256 KiB in memory. An account over its share waits. */
const requestPlaces = { seats: 256, perAccount: 32, maxWaiting: 64, waitMs: 30_000 };

/** The internal API: queries from the gateway. This service's README describes it. */
export const createRoutes = (ports: VerifyPorts & LookUpPorts & { readonly logger: Logger }) =>
  internalRoutes(
    ports.logger,
    {
      'POST /internal/commitments/lookup': lookUpRoute(ports),
      'POST /internal/stamps/verify': listReceiptsRoute(ports),
      'POST /internal/collections/verify': verifyCollectionRoute(ports),
      'GET /internal/cursor': cursorRoute(ports.database),
    },
    answerRefusal,
  );

/** Keeps the commitments of the canonical chain, for verification. */
export const createVerificationService = defineService('verification', (config: Config, runtime) => {
  const { logger, fail, metrics } = runtime;
  const { databaseUrl: url } = config;
  const databaseOf = (use: string, maxConnections: number): Database =>
    createDatabase({ url, schema, applicationName: `verification ${use}`, maxConnections, logger });
  const sessionsOf = (use: string, maxSessions: number): MatchingSessions =>
    createMatchingSessions({ url, schema, applicationName: `verification ${use}`, maxSessions, logger });
  // Separate pools: many queries must not hold up the projection that some of them wait for.
  const database = databaseOf('projections', 5);
  const reading = databaseOf('queries', 10);
  const sessions = { small: sessionsOf('small matching', 4), large: sessionsOf('large matching', 2) };
  const budget = createDiskBudget(config.spoolMaxBytes);
  const watch = createCursorWatch({ url, schema, logger });
  showPools(metrics, [database, reading]);
  const bus = createServiceBus(config, 'verification', runtime);
  const indexer = internalAddress(config.indexerUrl, config.internalTokens);
  const republish = createRepublishRequests({ indexer, logger });
  const telemetry = createTelemetry(logger, metrics, { spooled: budget.used });
  const routes = createRoutes({
    ...{ database: reading, watch, sessions, logger, places: createFairSeats(requestPlaces) },
    spooling: { directory: config.spoolDirectory, budget },
  });
  const components: readonly Component[] = [
    connection('projections database', { close: database.close, ready: database.reachable }),
    connection('queries database', { close: reading.close, ready: reading.reachable }),
    connection('small matching', { close: sessions.small.close }),
    connection('large matching', { close: sessions.large.close }),
    watch,
    createInboxKeeper({ database, logger }),
    createInternalServer({ ...internalServerOf(config), logger, metrics, routes, components: () => components }),
    consumerComponent(
      bus,
      { name: 'consumer', groupId: consumerName, maxBatchMessages: 100, concurrency: 2, readyWhenStalled: true, fail },
      {
        'events.chain': {
          contracts: chainMessages,
          handle: (batch) => handleBlocks({ database, telemetry, republish }, batch),
        },
        'events.collections': {
          contracts: [CollectionRegistered],
          handle: (batch) => projectCollections(database, messagesOf(batch, CollectionRegistered)),
        },
      },
    ),
    connection('requests to publish again', { close: republish.close }),
  ];
  return components;
});
