import { createInboxKeeper, createRelay } from '@indelible/event-store';
import { consumerComponent } from '@indelible/kafka';
import {
  AccountOpened,
  BlockAppended,
  BlocksFinalized,
  BlocksReverted,
  BlocksSafe,
  CreateCollection,
  commandGroups,
} from '@indelible/messages';
import type { Database } from '@indelible/postgres';
import {
  type Component,
  createInternalServer,
  createKeeper,
  defineService,
  internalRoutes,
  internalServerOf,
  type Logger,
} from '@indelible/service-runtime';
import { createUnserviceableKeeper } from './accounts/end-unserviceable.ts';
import { lookUpStampsRoute } from './api/look-up-stamps.ts';
import { confirmationsRoute, stampsOfReceiptsRoute } from './api/receipt-routes.ts';
import { forgetSpending } from './batching/account-spending.ts';
import { createRawKeeper } from './batching/raw-keeper.ts';
import { settleUnserved } from './batching/settle-unserved.ts';
import { createUnservedLanesWatch } from './batching/unserved-lanes.ts';
import { createWorkListener } from './batching/work-listener.ts';
import type { Config } from './config.ts';
import { createHandlers } from './handlers.ts';
import { createParts } from './parts.ts';
import { publishedEvents } from './published-events.ts';
import { forgetRequests } from './requests/forget-requests.ts';
import { stampRequests } from './requests/stamp-request-of.ts';

/** The internal API: queries from the gateway and storage. This service's README describes it. */
export const createRoutes = (ports: { database: Pick<Database, 'query'>; chainId: number; logger: Logger }) =>
  internalRoutes(ports.logger, {
    'POST /internal/stamps/lookup': lookUpStampsRoute(ports),
    'POST /internal/stamps/of-receipts': stampsOfReceiptsRoute(ports),
    'POST /internal/stamps/confirmations': confirmationsRoute(ports),
  });

/** Decides what is stamped, signs and sends batches, and confirms stamps from the chain. */
export const createStampingService = defineService('stamping', async (config: Config, runtime) => {
  const { logger, fail, metrics } = runtime;
  const parts = await createParts(config, runtime);
  const { bus, chainId, database, lanes, now, publisher, queries, replies, telemetry } = parts;
  const handlers = createHandlers(parts);
  const components: readonly Component[] = [
    createInternalServer({
      ...{ ...internalServerOf(config), logger, metrics },
      components: () => [...components, ...lanes.each()],
      routes: createRoutes({ database: queries, chainId, logger }),
    }),
    ...parts.connections,
    publisher,
    createRelay({ database, publisher, contracts: publishedEvents, logger, metrics }),
    createInboxKeeper({ database, logger }),
    createRawKeeper({ database, logger }),
    createUnservedLanesWatch({
      ...{ database, chainId, served: lanes.addresses, onFound: telemetry.unserved, logger, now },
      settle: (lane, signal) => settleUnserved(parts, lane, signal),
    }),
    createKeeper({ of: 'old requests', forget: (limit) => forgetRequests(database, limit), logger }),
    createKeeper({
      ...{ of: 'old spending of accounts', logger },
      forget: (limit) => forgetSpending(database, config.fundsShareHours, limit),
    }),
    createUnserviceableKeeper({ database, send: replies.send, logger }),
    lanes,
    createWorkListener({ databaseUrl: config.databaseUrl, logger, onWork: lanes.wake }),
    // One consumer per kind of input: none waits for another, nor stamps for collections (I12).
    consumerComponent(
      bus,
      { name: 'consumer of stamps', groupId: commandGroups['commands.stamps'], concurrency: 8, fail },
      { 'commands.stamps': { contracts: stampRequests, handle: handlers.stampRequests } },
    ),
    consumerComponent(
      bus,
      { name: 'consumer of collections', groupId: commandGroups['commands.collections'], concurrency: 8, fail },
      { 'commands.collections': { contracts: [CreateCollection], handle: handlers.collectionRequests } },
    ),
    consumerComponent(
      bus,
      { name: 'consumer of facts', groupId: 'stamping.facts', concurrency: 2, fail },
      {
        'events.accounts': { contracts: [AccountOpened], handle: handlers.accountsOpened },
        'events.chain': {
          contracts: [BlockAppended, BlocksReverted, BlocksSafe, BlocksFinalized],
          handle: handlers.chainFacts,
        },
      },
    ),
  ];
  return components;
});
