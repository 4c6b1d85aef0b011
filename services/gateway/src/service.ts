import { randomUUID } from 'node:crypto';
import { accountsMessages, createAccountStore, createAuthenticator } from '@indelible/accounts';
import { createBlobStore, timeOperations } from '@indelible/blob-store';
import { createInboxKeeper, createRelay } from '@indelible/event-store';
import { consumerComponent } from '@indelible/kafka';
import { type Component, createInternalServer, defineService, internalServerOf } from '@indelible/service-runtime';
import type { Handler } from './api/edge/call.ts';
import { createApi } from './api/edge/create-api.ts';
import { loadDocument, type OperationId } from './api/edge/document.ts';
import { lookingUp } from './api/edge/looking-up.ts';
import { createCollectionRoute } from './api/routes/create-collection.ts';
import { createStampRoute } from './api/routes/create-stamp.ts';
import { createStampsBatchRoute } from './api/routes/create-stamps-batch.ts';
import { getStampRoute } from './api/routes/get-stamp.ts';
import { getStampStatusesRoute } from './api/routes/get-stamp-statuses.ts';
import { listCollectionsRoute } from './api/routes/list-collections.ts';
import { listEventsRoute } from './api/routes/list-events.ts';
import { uploadStampedFileRoute } from './api/routes/upload-stamped-file.ts';
import { getCurrentUserRoute, getUserRoute } from './api/routes/users.ts';
import { verifyCollectionRoute } from './api/routes/verify-collection.ts';
import { verifyStampsRoute } from './api/routes/verify-stamps.ts';
import { webhookRoutes } from './api/routes/webhooks.ts';
import type { Config } from './config.ts';
import { createConnections } from './connections.ts';
import { createLimits } from './limits/create-limits.ts';
import { createNeighbours } from './neighbours/create-neighbours.ts';
import { collectionLists, collectionMessages, findNewestCollection } from './projections/collections.ts';
import { consumerName, handleCollections } from './projections/consume.ts';
import { createCollectionLookup } from './use-cases/collections/collection-lookup.ts';
import { createOutcomes } from './use-cases/commands/create-outcomes.ts';
import { createPublishing } from './use-cases/commands/create-publishing.ts';
import { createFeeds } from './use-cases/event-streams/feeds.ts';
import { createOpenStreams } from './use-cases/event-streams/open-streams.ts';
import { createCurrentAnswer } from './use-cases/idempotency/current-answer.ts';
import { createKeyStore } from './use-cases/idempotency/key-store.ts';
import { createKeyedRequests } from './use-cases/idempotency/keyed-requests.ts';
import { createContentReceiver } from './use-cases/stamping/content.ts';
import { createFactsOf, createFindStamps } from './use-cases/stamping/find-stamps.ts';
import { createGrantsSeen } from './use-cases/stamping/grants-seen.ts';
import { createNewestBlocks } from './use-cases/stamping/newest-block.ts';
import { createUseCases } from './use-cases.ts';

/** Serves the public API. Components know their ports once started. */
export const createGatewayService = defineService('gateway', (config: Config, runtime) => {
  const { logger, fail, tracing, metrics } = runtime;
  const instanceId = `gateway-${randomUUID()}`;
  const document = loadDocument();
  const { connections, database, requestsDatabase, accountsDatabase, redis, bus } = createConnections(
    config,
    runtime,
    instanceId,
  );
  const accounts = createAccountStore({ database: accountsDatabase });
  const authenticator = createAuthenticator({ database: accountsDatabase, logger });
  const neighbours = createNeighbours(config);
  const { findFacts, findFiles, chainHead } = neighbours;
  const onConfirmed = createGrantsSeen(accounts, logger);
  const collections = createCollectionLookup(requestsDatabase);
  const newestBlocks = createNewestBlocks({ redis, keyPrefix: config.topicPrefix, chainId: config.chainId, chainHead });
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
  const store = createKeyStore(requestsDatabase);
  const keyedRequests = createKeyedRequests({
    store,
    currentAnswer: createCurrentAnswer(factsOf),
    waitingRoom,
    logger,
  });
  const log = neighbours.eventLog;
  const feeds = createFeeds({ log, bufferBytes: config.eventBufferBytes, logger });
  const streams = createOpenStreams({ feeds, maxStreams: config.maxEventStreams, logger, metrics });

  const { settingsOf, accountExists } = accounts;
  const { waitLimitMs, maxFileBytes, maxDataBytes } = config;
  const blobStore = timeOperations(createBlobStore(config.blobStore), metrics);
  const content = { maxFileBytes, maxDataBytes, receiveContent: createContentReceiver(blobStore, quotas.bytes) };
  const statuses = { findStamps, handledUntil: () => lag.handledUntil('commands.stamps'), waitLimitMs, now: Date.now };
  const reading = { newestBlocks, settingsOf };
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
    listEvents: listEventsRoute({ log, streams, heartbeatMs: config.eventHeartbeatMs, logger }),
    getCurrentUser: lookingUp(getCurrentUserRoute(users)),
    getUser: lookingUp(getUserRoute(users)),
    ...webhookRoutes(neighbours.webhooks),
  };
  const edge = createApi(config, {
    ...{ document, handlers, shortPath: createStamp, authenticator, rateLimiter, logger, metrics, tracing },
    endStreams: streams.endAll,
    hurry: waitingRoom.close,
  });

  const components: readonly Component[] = [
    ...connections,
    { name: 'replies', start: replies.start, stop: replies.stop },
    { name: 'identity locks', start: locks.start, stop: locks.stop },
    { name: 'publisher', start: publisher.start, stop: publisher.stop, ready: publisher.ready },
    { name: 'command lag', start: lag.start, stop: lag.stop },
    consumerComponent(
      bus,
      { name: 'projections', groupId: consumerName, concurrency: 8, readyWhenStalled: true, fail },
      { 'events.collections': { contracts: collectionMessages, handle: handleCollections(database) } },
    ),
    createInboxKeeper({ database, logger }),
    keyedRequests,
    createRelay({ database: accountsDatabase, publisher, contracts: accountsMessages, logger, metrics }),
    authenticator,
    poller,
    feeds,
    streams,
    edge,
  ];
  const internalServer = createInternalServer({
    ...{ ...internalServerOf(config), logger, metrics },
    components: () => components,
  });
  return Object.assign([internalServer, ...components], { port: edge.port, internalPort: internalServer.port });
});
