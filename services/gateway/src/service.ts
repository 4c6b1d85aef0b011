import { randomUUID } from 'node:crypto';
import { accountsMessages, createAccountStore, createAuthenticator } from '@indelible/accounts';
import { createBlobStore, timeOperations } from '@indelible/blob-store';
import { createInboxKeeper, createRelay } from '@indelible/event-store';
import {
  type Component,
  createInternalServer,
  createServiceMetrics,
  type Logger,
  noTracing,
  type Tracing,
} from '@indelible/service-runtime';
import { createCollectionLookup } from './collections/collection-lookup.ts';
import { createOutcomes } from './commands/create-outcomes.ts';
import { createPublishing } from './commands/create-publishing.ts';
import type { Config } from './config.ts';
import { createConnections } from './connections.ts';
import { createEvents } from './events/create-events.ts';
import type { Handler } from './http/call.ts';
import { createApi } from './http/create-api.ts';
import { loadDocument, type OperationId } from './http/document.ts';
import { lookingUp } from './http/looking-up.ts';
import { createIdempotency } from './idempotency/create-idempotency.ts';
import { createLimits } from './limits/create-limits.ts';
import { createNeighbours } from './neighbours/create-neighbours.ts';
import { collectionLists, findNewestCollection } from './projections/collections.ts';
import { createProjections } from './projections/consume.ts';
import { createCollectionRoute } from './routes/create-collection.ts';
import { createStampRoute } from './routes/create-stamp.ts';
import { createStampsBatchRoute } from './routes/create-stamps-batch.ts';
import { getCurrentUserRoute } from './routes/get-current-user.ts';
import { getStampRoute } from './routes/get-stamp.ts';
import { getStampStatusesRoute } from './routes/get-stamp-statuses.ts';
import { getUserRoute } from './routes/get-user.ts';
import { listCollectionsRoute } from './routes/list-collections.ts';
import { listEventsRoute } from './routes/list-events.ts';
import { uploadStampedFileRoute } from './routes/upload-stamped-file.ts';
import { verifyCollectionRoute } from './routes/verify-collection.ts';
import { verifyStampsRoute } from './routes/verify-stamps.ts';
import { webhookRoutes } from './routes/webhooks.ts';
import { createFactsOf, createFindStamps } from './stamping/find-stamps.ts';
import { createGrantsSeen } from './stamping/grants-seen.ts';
import { createNewestBlocks } from './stamping/newest-block.ts';
import { createUseCases } from './use-cases.ts';

/** The gateway's components, in the order of their start; once started, they know where they listen. */
export type GatewayService = readonly Component[] & { port(): number; internalPort(): number };

/** The wiring: components, topic to projection, operation to handler. */
export function createGatewayService(
  config: Config,
  logger: Logger,
  fail: (error: unknown) => void,
  tracing: Tracing = noTracing,
  metrics = createServiceMetrics('gateway'),
): GatewayService {
  tracing.countIn(metrics);
  const instanceId = `gateway-${randomUUID()}`;
  const document = loadDocument();
  const connections = createConnections(config, { instanceId, logger, metrics });
  const { database, requestsDatabase, accountsDatabase, redis, bus } = connections;
  const accounts = createAccountStore({ database: accountsDatabase });
  const authenticator = createAuthenticator({ database: accountsDatabase, logger });
  const neighbours = createNeighbours(config);
  const { findFacts, findFiles, chainHead } = neighbours;
  const onConfirmed = createGrantsSeen(accounts, logger);
  const collections = createCollectionLookup(requestsDatabase);
  const newestBlocks = createNewestBlocks({ redis, keyPrefix: config.topicPrefix, chainId: config.chainId });
  const findStamps = createFindStamps({ findFacts, findFiles, onConfirmed });
  const factsOf = createFactsOf(findFacts);
  const { quotas, rateLimiter } = createLimits(config, { redis, logger, metrics });
  const { publisher, lag, commands } = createPublishing(config, { bus, metrics, tracing });
  const outcomes = createOutcomes(config, { instanceId, redis, neighbours, onConfirmed, logger, metrics });
  const { replies, locks, poller, waitingRoom } = outcomes;
  const { stamp, keepAside, stampBatch, upload, createCollection } = createUseCases(config, {
    ...{ instanceId, commands, outcomes, stampQuota: quotas.stamps, newestBlocks, collections },
    ...{ findStamps, factsOf, neighbours, logger, metrics },
  });
  const keyedRequests = createIdempotency({ database: requestsDatabase, factsOf, waitingRoom, logger });
  const events = createEvents(config, { log: neighbours.eventLog, logger, metrics });

  const { settingsOf, accountExists } = accounts;
  const { waitLimitMs, chainId, maxFileBytes, maxDataBytes } = config;
  const blobStore = timeOperations(createBlobStore(config.blobStore), metrics);
  const content = { maxFileBytes, maxDataBytes, blobStore, byteQuota: quotas.bytes };
  const statuses = { findStamps, handledUntil: () => lag.handledUntil('commands.stamps'), waitLimitMs, now: Date.now };
  const reading = { newestBlocks, chainHead, chainId, settingsOf };
  const users = { settingsOf, storageType: config.blobStore.kind };
  const createStamp = createStampRoute({
    ...content,
    ...{ fields: document.fieldsOf('StampForm'), collections, keyedRequests, stamp, keepAside },
  });
  const handlers: Readonly<Record<OperationId, Handler>> = {
    createStamp: createStamp.handle,
    createStampDeprecated: createStamp.handle,
    createStampsBatch: createStampsBatchRoute({ maxLines: config.maxBatchLines, stampBatch }),
    getStamp: lookingUp(getStampRoute(statuses)),
    getStampStatuses: lookingUp(getStampStatusesRoute(statuses)),
    uploadStampedFile: uploadStampedFileRoute({
      ...content,
      ...{ fields: document.fieldsOf('UploadForm'), collections, upload },
    }),
    verifyStamps: lookingUp(verifyStampsRoute({ ...reading, listReceipts: neighbours.listReceipts })),
    verifyCollection: verifyCollectionRoute({
      ...reading,
      verify: neighbours.verifyCollections,
      newestCollection: (account) => findNewestCollection(requestsDatabase, account),
      maxObjects: config.maxVerifyObjects,
      maxBytes: config.maxVerifyBytes,
    }),
    createCollection: createCollectionRoute({ createCollection }),
    listCollections: lookingUp(listCollectionsRoute({ accountExists, ...collectionLists(requestsDatabase) })),
    listEvents: listEventsRoute({ ...events, heartbeatMs: config.eventHeartbeatMs, logger }),
    getCurrentUser: lookingUp(getCurrentUserRoute(users)),
    getUser: lookingUp(getUserRoute(users)),
    ...webhookRoutes(neighbours.webhooks),
  };
  const edge = createApi(config, {
    ...{ document, handlers, straightStamps: createStamp, authenticator, rateLimiter, logger, metrics, tracing },
    endStreams: events.streams.endAll,
    hurry: waitingRoom.close,
  });

  const components: Component[] = [
    connections.component,
    { name: 'replies', start: replies.start, stop: replies.stop },
    { name: 'identity locks', start: locks.start, stop: locks.stop },
    { name: 'publisher', start: publisher.start, stop: publisher.stop, ready: publisher.ready },
    { name: 'command lag', start: lag.start, stop: lag.stop },
    createProjections({ bus, database, fail }),
    createInboxKeeper({ database, logger }),
    keyedRequests,
    createRelay({ database: accountsDatabase, publisher, contracts: accountsMessages, logger, metrics }),
    authenticator,
    poller,
    events.feeds,
    events.streams,
    edge,
  ];
  const internalServer = createInternalServer({
    host: config.internalHost,
    port: config.internalPort,
    tokens: config.internalTokens,
    logger,
    components: () => components,
    metrics,
  });
  return Object.assign([internalServer, ...components], { port: edge.port, internalPort: internalServer.port });
}
