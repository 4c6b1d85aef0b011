import { createRpc, profileOf } from '@indelible/ethereum';
import { createRelay, type EventPublisher } from '@indelible/event-store';
import { createServiceBus } from '@indelible/kafka';
import { BlockAppended, BlocksFinalized, BlocksReverted, BlocksSafe, type MessageContract } from '@indelible/messages';
import { createDatabase, type Database } from '@indelible/postgres';
import {
  type Component,
  connection,
  createInternalServer,
  defineService,
  internalRoutes,
  internalServerOf,
  type Logger,
  type Runtime,
  showPools,
} from '@indelible/service-runtime';
import { headRoute } from './api/head-route.ts';
import { republishRoute } from './api/republish-route.ts';
import type { Config } from './config.ts';
import { createFollower } from './following/create-follower.ts';
import { schema } from './schema.ts';
import { createTelemetry } from './telemetry.ts';

const contracts = [BlockAppended, BlocksReverted, BlocksFinalized, BlocksSafe] as unknown as readonly MessageContract[];

const createRoutes = (database: Pick<Database, 'query'>, { chainId, logger }: { chainId: number; logger: Logger }) =>
  internalRoutes(logger, {
    'GET /internal/head': headRoute(database, chainId),
    'POST /internal/blocks/republish': republishRoute(database, chainId),
  });

/** One leader follows the chain, one relay publishes what it stores; each leads on any replica. */
export const createChainIndexerService = defineService('chain-indexer', (config: Config, runtime) => {
  const publisher = createServiceBus(config, 'chain-indexer', runtime).createPublisher({ contracts });
  return [publisher, ...createIndexer(config, publisher, runtime)];
});

/** All but the broker connection. */
export function createIndexer(
  config: Config,
  publisher: EventPublisher,
  { logger, metrics, tracing }: Omit<Runtime, 'fail'>,
): readonly Component[] {
  const { chainId, databaseUrl: url } = config;
  const database = createDatabase({ url, schema, applicationName: 'chain-indexer', maxConnections: 5, logger });
  showPools(metrics, [database]);
  const telemetry = createTelemetry(chainId, logger, metrics);
  const rpc = createRpc({
    urls: config.rpcUrls,
    timeoutMs: config.rpcTimeoutMs,
    maxResponseBytes: config.rpcMaxResponseBytes,
    chainId,
    maxLagBlocks: profileOf(chainId).maxLagBlocks,
    logger,
    onEvent: telemetry.endpointEvent,
  });
  const routes = createRoutes(database, { chainId, logger });
  const components: readonly Component[] = [
    connection('database', { close: database.close, ready: database.reachable }),
    connection('rpc', { close: rpc.close }),
    createRelay({ database, publisher, contracts, logger, metrics, prunePublished: true }),
    createFollower(config, { database, rpc, telemetry, tracing, logger }),
    // A readiness probe also shows how far this replica is.
    createInternalServer({ ...internalServerOf(config), logger, metrics, routes, components: () => components }),
  ];
  return components;
}
