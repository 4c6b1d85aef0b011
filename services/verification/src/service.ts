import { createInboxKeeper } from '@indelible/event-store';
import { failpoint } from '@indelible/failpoints';
import { brokerOf, createMessageBus, type IncomingMessage, isMessage } from '@indelible/kafka';
import { CollectionRegistered } from '@indelible/messages';
import { createDatabase, type Database } from '@indelible/postgres';
import {
  type Component,
  createInternalServer,
  createRepublishRequests,
  createServiceMetrics,
  internalAddress,
  type Logger,
  noTracing,
  type RepublishRequests,
  showPools,
  type Tracing,
} from '@indelible/service-runtime';
import { createRoutes } from './api/routes.ts';
import type { Config } from './config.ts';
import { createFairSeats } from './matching/fair-seats.ts';
import { createMatchingSessions, type MatchingSessions } from './matching/sessions.ts';
import { schema } from './migrations/migrations.ts';
import { chainMessageOf, chainMessages } from './projections/chain-message.ts';
import { projectCollections } from './projections/collections.ts';
import { consumerName, projectBlocks } from './projections/commitments.ts';
import { createCursorWatch } from './projections/cursor-watch.ts';
import { createDiskBudget } from './spooling/disk-budget.ts';
import { createTelemetry, type Telemetry } from './telemetry.ts';

/** Collection verifications under way: each holds up to 256 KiB in memory. An account that has its part of them waits. */
const requestPlaces = { seats: 256, perAccount: 32, maxWaiting: 64, waitMs: 30_000 };

/**
 * The wiring, topic to projection:
 * events.chain (BlockAppended, BlocksReverted, BlocksFinalized) → projections/commitments.ts
 * events.collections (CollectionRegistered) → projections/collections.ts
 */
export function createVerificationService(
  config: Config,
  logger: Logger,
  fail: (error: unknown) => void,
  _tracing: Tracing = noTracing,
  metrics = createServiceMetrics('verification'),
): readonly Component[] {
  const databaseOf = (use: string, maxConnections: number): Database =>
    createDatabase({
      url: config.databaseUrl,
      schema,
      applicationName: `verification ${use}`,
      maxConnections,
      logger,
    });
  // Pools apart: many queries at once must not hold up the projection that some of them wait for.
  const writing = databaseOf('projections', 5);
  const reading = databaseOf('queries', 10);
  const sessionsOf = (use: string, maxSessions: number): MatchingSessions =>
    createMatchingSessions({
      url: config.databaseUrl,
      schema,
      applicationName: `verification ${use}`,
      maxSessions,
      logger,
    });
  const budget = createDiskBudget(config.spoolMaxBytes);
  const sessions = { small: sessionsOf('small matching', 4), large: sessionsOf('large matching', 2) };
  const watch = createCursorWatch({ url: config.databaseUrl, schema, logger });
  showPools(metrics, [writing, reading]);
  const bus = createMessageBus({
    ...brokerOf(config),
    clientId: 'verification',
    source: 'indelible/verification',
    logger,
    metrics,
  });
  const republish = createRepublishRequests({
    indexer: internalAddress(config.indexerUrl, config.internalTokens),
    logger,
  });
  const consumer = bus.createConsumer({
    groupId: consumerName,
    contracts: [...chainMessages, CollectionRegistered],
    maxBatchMessages: 100,
    concurrency: 2,
    handle: (batch) => project(writing, batch, telemetry, republish),
  });
  consumer.onFatal(fail);
  const telemetry = createTelemetry(logger, metrics, { spooled: budget.used });
  const components: Component[] = [];
  const server = createInternalServer({
    host: config.internalHost,
    port: config.internalPort,
    tokens: config.internalTokens,
    logger,
    components: () => components,
    routes: createRoutes({
      database: reading,
      watch,
      places: createFairSeats(requestPlaces),
      sessions,
      spooling: { directory: config.spoolDirectory, budget },
      logger,
    }),
    metrics,
  });
  components.push(
    databaseComponent('projections database', writing),
    databaseComponent('queries database', reading),
    sessionsComponent('small matching', sessions.small),
    sessionsComponent('large matching', sessions.large),
    watch,
    createInboxKeeper({ database: writing, logger }),
    server,
    {
      name: 'consumer',
      start: () => consumer.start(),
      stop: async () => {
        republish.close();
        await consumer.stop();
      },
      ready: () => consumer.ready(),
    },
  );
  return components;
}

/** One partition's messages: all of one topic, so either blocks or collections. */
export async function project(
  database: Database,
  batch: readonly IncomingMessage[],
  telemetry: Telemetry,
  republish: RepublishRequests,
): Promise<void> {
  const collections = batch.filter((message) => isMessage(message, CollectionRegistered));
  if (collections.length > 0) await projectCollections(database, collections);
  const blocks = batch.filter((message) => !isMessage(message, CollectionRegistered)).map(chainMessageOf);
  if (blocks.length === 0) return;
  const projected = await projectBlocks(database, blocks);
  if (projected.inserted > 0) failpoint('verification.projected');
  telemetry.blocksProjected({
    ...projected,
    blocks: blocks.flatMap(({ type, data }) =>
      type === 'BlockAppended' ? [{ time: data.time, commitments: data.logs.length }] : [],
    ),
  });
  if (projected.cursors.size > 0) republish.followed();
  for (const from of projected.missing.values()) republish.missing(from);
}

const databaseComponent = (name: string, database: Database): Component => ({
  name,
  async start() {},
  stop: () => database.close(),
  ready: () => database.reachable(),
});

const sessionsComponent = (name: string, sessions: MatchingSessions): Component => ({
  name,
  async start() {},
  stop: () => sessions.close(),
});
