import { randomUUID } from 'node:crypto';
import {
  type AccountStore,
  accountsMessages,
  accountsSchema,
  createAccountStore,
  createAuthenticator,
} from '@indelible/accounts';
import { createBlobStore, timeOperations } from '@indelible/blob-store';
import { createInboxKeeper, createRelay } from '@indelible/event-store';
import { cidOfCollectionName, type Hex } from '@indelible/identifiers';
import { createIdentityLocks } from '@indelible/identity-locks';
import { brokerOf, createMessageBus, outgoing } from '@indelible/kafka';
import {
  CreateCollection,
  commandGroups,
  KeepNonConfirmedContent,
  RequestStamp,
  StoreUploadedContent,
} from '@indelible/messages';
import { createDatabase, type Database } from '@indelible/postgres';
import { closeRedis, createRedis } from '@indelible/redis';
import { createReplyReceiver } from '@indelible/replies';
import {
  type Component,
  createFairQueue,
  createInternalServer,
  createKeeper,
  createServiceMetrics,
  createTurns,
  internalAddress,
  type Logger,
  noTracing,
  showPools,
  stageDurations,
  type Tracing,
  together,
} from '@indelible/service-runtime';
import { Gauge } from 'prom-client';
import { createLineWindow } from './batching/line-window.ts';
import { createBatchObservations } from './batching/observations.ts';
import type { BatchPorts } from './batching/ports.ts';
import { stampBatch } from './batching/stamp-batch.ts';
import { createCollectionLookup } from './collections/collection-lookup.ts';
import { createCollection } from './collections/create-collection.ts';
import type { Config } from './config.ts';
import { createFeeds } from './events/feeds.ts';
import { createOpenStreams } from './events/open-streams.ts';
import { createAdmission } from './http/admission.ts';
import type { Handler } from './http/call.ts';
import { loadDocument, type OperationId } from './http/document.ts';
import { createEdge } from './http/edge.ts';
import { createFlowWatch } from './http/flow-watch.ts';
import { lookingUp } from './http/looking-up.ts';
import { createRequestLog } from './http/request-log.ts';
import { createEdgeServer } from './http/server.ts';
import { createKeyStore } from './idempotency/key-store.ts';
import { createKeyedRequests } from './idempotency/keyed-requests.ts';
import { createAskRedis } from './limits/ask-redis.ts';
import { boundByLag } from './limits/bound-by-lag.ts';
import { createByteBudget } from './limits/byte-budget.ts';
import { createDailyQuotas } from './limits/daily-quotas.ts';
import { createRateLimiter } from './limits/rate-limiter.ts';
import { createChainHead } from './neighbours/chain-head.ts';
import { createCollectionVerification } from './neighbours/collection-verification.ts';
import { createEventLog } from './neighbours/event-log.ts';
import { createReceiptList } from './neighbours/receipt-list.ts';
import { createFindUpload } from './neighbours/storage.ts';
import { tracedPublisher } from './neighbours/traced-publisher.ts';
import { createVerification } from './neighbours/verification.ts';
import { createWebhooks } from './neighbours/webhooks.ts';
import { findEndOfPage, findNewestCollection, listCollections } from './projections/collections.ts';
import { createProjections } from './projections/consume.ts';
import { forgetRequests } from './projections/forget-requests.ts';
import { type AcceptedStamp, noteAccepted } from './projections/note-accepted.ts';
import { findStamp, findStamps, knownStamps } from './projections/stamps.ts';
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
import { schema } from './schema.ts';
import type { FindVisiblePorts } from './stamping/find-visible.ts';
import { keepAside } from './stamping/keep-aside.ts';
import { createNewestBlocks } from './stamping/newest-block.ts';
import { type StampPorts, stamp } from './stamping/stamp.ts';
import { createStatusPoller } from './stamping/status-poller.ts';
import { timeAccepting } from './stamping/time-accepting.ts';
import { createWaitingRoom } from './stamping/waiting-room.ts';
import { type UploadPorts, upload } from './uploading/upload.ts';

/** In ms, of statements that a request waits for. */
const requestTimeouts = { statementTimeoutMs: 5_000, answerTimeoutMs: 6_000 };

/** Answers begun in one turn of the event loop: those of a block must not hold up what comes meanwhile. */
const answersATurn = 64;

/** Clients that are behind read the log side by side; the others wait for their turn. */
const logReaders = 16;

/** What is published from here: commands, and the events of the accounts schema. */
const published = [RequestStamp, CreateCollection, StoreUploadedContent, KeepNonConfirmedContent, ...accountsMessages];

/** The gateway's components, in the order of their start; once started, they tell where they listen. */
export type GatewayService = readonly Component[] & { port(): number; internalPort(): number };

/** The wiring page: operation to use case, topic to projection, and what each part is given. */
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
  const now = Date.now;
  const internal = (url: string) => internalAddress(url, config.internalTokens);

  const database = createDatabase({ url: config.databaseUrl, schema, applicationName: 'gateway', logger });
  // What requests ask for is small: a server that is gone without a word must not hold them up for long.
  const requestsDatabase = createDatabase({
    url: config.databaseUrl,
    schema,
    applicationName: 'gateway requests',
    ...requestTimeouts,
    logger,
  });
  const accountsDatabase = createDatabase({
    url: config.databaseUrl,
    schema: accountsSchema,
    applicationName: 'gateway accounts',
    ...requestTimeouts,
    logger,
  });
  showPools(metrics, [database, requestsDatabase, accountsDatabase]);
  const redis = createRedis(config.redisUrl, { name: 'gateway', access: config.redisAccess, logger });
  const bus = createMessageBus({
    ...brokerOf(config),
    clientId: instanceId,
    source: 'indelible/gateway',
    logger,
    metrics,
  });
  const publisher = bus.createPublisher({ contracts: published, maxQueued: config.maxWaiting });
  const keyPrefix = config.topicPrefix;
  const replies = createReplyReceiver({
    redis,
    instanceId,
    keyPrefix,
    logger,
    maxWaiters: config.maxWaiting + config.maxBatchWindow,
    inTurns: createTurns(answersATurn),
  });
  // A lock outlives every wait; that of a process that died is nobody's within seconds all the same.
  const locks = createIdentityLocks({ redis, keyPrefix, logger, ttlMs: config.waitLimitMs + 5_000 });

  const accounts = createAccountStore({ database: accountsDatabase });
  const authenticator = createAuthenticator({ database: accountsDatabase, logger });
  const projections = createProjections({ bus, database, fail, grantsSeen: noteGrantsOnce(accounts, logger) });
  const relay = createRelay({ database: accountsDatabase, publisher, contracts: accountsMessages, logger, metrics });
  const poller = createStatusPoller({ database: requestsDatabase, repliesHeard: replies.connected, logger });
  const waitingRoom = createWaitingRoom(config);
  new Gauge({
    name: 'indelible_gateway_waiting_requests',
    help: 'Requests that wait for an outcome',
    registers: [metrics],
    collect() {
      this.set(waitingRoom.size());
    },
  });

  const collections = createCollectionLookup(requestsDatabase);
  const newestBlocks = createNewestBlocks({ redis, keyPrefix, chainId: config.chainId });
  const commandLag = bus.createGroupLag({ groups: commandGroups });
  const { accept } = stageDurations(metrics, ['accept']);
  const bounded = boundByLag(timeAccepting(publisher, accept), {
    lag: commandLag,
    maxLag: config.maxCommandLag,
    metrics,
  });
  const commands = tracedPublisher(bounded, tracing);
  const ask = createAskRedis({ redis, keyPrefix, logger });
  const quotas = createDailyQuotas({
    ask,
    perDay: { stamps: config.accountStampsPerDay, bytes: config.accountBytesPerDay },
    logger,
    metrics,
  });
  const waiting = { instanceId, publisher: commands, replies, waitingRoom, stampQuota: quotas.stamps, now };
  const stamping: StampPorts = {
    ...waiting,
    locks,
    poller,
    newestBlocks,
    collections,
    noteAccepted: together(async (accepted: readonly AcceptedStamp[]) => {
      await noteAccepted(requestsDatabase, accepted);
      return [];
    }),
    findStamp: (account, id) => findStamp(requestsDatabase, account, id),
  };

  const window = createLineWindow(config.maxBatchWindow);
  const batching: BatchPorts = {
    ...waiting,
    submit: (requests) =>
      commands.publish(
        requests.map(({ trace, ...data }) =>
          outgoing(RequestStamp, data, { id: data.requestId, time: data.requestedAt, ...trace }),
        ),
      ),
    poller,
    newestBlocks,
    collections,
    noteAccepted: (accepted) => noteAccepted(requestsDatabase, accepted),
    window,
    observations: createBatchObservations({ logger, metrics, window }),
    waitLimitMs: config.waitLimitMs,
  };

  const reading = {
    newestBlocks,
    chainHead: createChainHead(internal(config.indexerUrl)),
    chainId: config.chainId,
  };
  const uploading: UploadPorts = {
    ...waiting,
    ...reading,
    verification: createVerification(internal(config.verificationUrl)),
    findUpload: config.storageUrl === undefined ? undefined : createFindUpload(internal(config.storageUrl)),
  };
  const content = {
    maxFileBytes: config.maxFileBytes,
    maxDataBytes: config.maxDataBytes,
    blobStore: timeOperations(createBlobStore(config.blobStore), metrics),
    byteQuota: quotas.bytes,
  };

  const keyedRequests = createKeyedRequests({ store: createKeyStore(requestsDatabase), waitingRoom, logger });
  const createStamp = createStampRoute({
    fields: document.fieldsOf('StampForm'),
    ...content,
    collections,
    keyedRequests,
    stamp: (request) => stamp(stamping, request),
    keepAside: (request) => keepAside(waiting, request),
  });
  const statuses: FindVisiblePorts = {
    findStamps: (account, ids) => findStamps(requestsDatabase, account, ids),
    knownStamps: (ids) => knownStamps(requestsDatabase, ids),
    now,
  };
  const eventLog = createEventLog(internal(config.notificationsUrl));
  const feeds = createFeeds({ log: eventLog, bufferBytes: config.eventBufferBytes, logger });
  const streams = createOpenStreams({ feeds, maxStreams: config.maxEventStreams, logger, metrics });
  const users = { settingsOf: accounts.settingsOf, storageType: config.blobStore.kind };
  const handlers: Readonly<Record<OperationId, Handler>> = {
    createStamp,
    createStampDeprecated: createStamp,
    createStampsBatch: createStampsBatchRoute({
      maxLines: config.maxBatchLines,
      stampBatch: (request) => stampBatch(batching, request),
    }),
    getStamp: lookingUp(getStampRoute(statuses)),
    getStampStatuses: lookingUp(getStampStatusesRoute(statuses)),
    uploadStampedFile: uploadStampedFileRoute({
      fields: document.fieldsOf('UploadForm'),
      ...content,
      collections,
      upload: (request) => upload(uploading, request),
    }),
    verifyStamps: lookingUp(
      verifyStampsRoute({
        ...reading,
        listReceipts: createReceiptList(internal(config.verificationUrl)),
        settingsOf: accounts.settingsOf,
      }),
    ),
    verifyCollection: verifyCollectionRoute({
      ...reading,
      verify: createCollectionVerification(internal(config.verificationUrl)),
      newestCollection: (account) => findNewestCollection(requestsDatabase, account),
      settingsOf: accounts.settingsOf,
      maxObjects: config.maxVerifyObjects,
      maxBytes: config.maxVerifyBytes,
    }),
    createCollection: createCollectionRoute({
      createCollection: (request) =>
        createCollection({ ...waiting, lookup: collections, cidOfName: cidOfCollectionName }, request),
    }),
    listCollections: lookingUp(
      listCollectionsRoute({
        accountExists: accounts.accountExists,
        listCollections: (...page) => listCollections(requestsDatabase, ...page),
        findEndOfPage: (...page) => findEndOfPage(requestsDatabase, ...page),
      }),
    ),
    listEvents: listEventsRoute({
      log: eventLog,
      inFairTurns: createFairQueue(logReaders),
      streams,
      heartbeatMs: config.eventHeartbeatMs,
      logger,
    }),
    getCurrentUser: lookingUp(getCurrentUserRoute(users)),
    getUser: lookingUp(getUserRoute(users)),
    ...webhookRoutes(createWebhooks(internal(config.notificationsUrl))),
  };

  const admission = createAdmission({ ...config, metrics });
  const edge = createEdgeServer({
    host: config.httpHost,
    port: config.httpPort,
    app: createEdge({
      document,
      handlers,
      authenticator,
      admission,
      byteBudget: createByteBudget({ ...config, metrics }),
      rateLimiter: createRateLimiter({ ask, standard: config.rateLimit, metrics }),
      log: createRequestLog(logger, metrics),
      tracing,
      watch: createFlowWatch(config),
      publicUrl: config.publicUrl,
      shownUrl: config.publicUrl ?? `http://127.0.0.1:${config.httpPort}`,
      corsOrigins: config.corsOrigins,
      now,
    }),
    admission,
    maxConnections: config.maxConnections,
    stalledMs: config.stalledMs,
    drainMs: config.drainMs,
    endStreams: streams.endAll,
    hurry: waitingRoom.close,
  });
  const components: Component[] = [
    connections(requestsDatabase, async () => {
      await closeRedis(redis);
      await accountsDatabase.close();
      await requestsDatabase.close();
      await database.close();
    }),
    { name: 'replies', start: replies.start, stop: replies.stop },
    { name: 'identity locks', start: locks.start, stop: locks.stop },
    { name: 'publisher', start: publisher.start, stop: publisher.stop, ready: publisher.ready },
    { name: 'command lag', start: commandLag.start, stop: commandLag.stop },
    projections,
    createInboxKeeper({ database, logger }),
    createKeeper({ of: 'old requests', forget: (limit) => forgetRequests(database, limit), logger }),
    keyedRequests,
    relay,
    authenticator,
    poller,
    feeds,
    streams,
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

/** Redis is not among what readiness asks for: without it everything still goes, slower. */
const connections = (database: Database, stop: () => Promise<void>): Component => ({
  name: 'database',
  start: async () => {},
  stop,
  ready: () => database.reachable(),
});

/** A confirmed stamp proves its account's grant: noted once per account and process, again after a fault. */
function noteGrantsOnce(accounts: AccountStore, logger: Logger): (seen: ReadonlySet<Hex>) => void {
  const noted = new Set<Hex>();
  const maxNoted = 100_000;
  return (seen) => {
    const fresh = [...seen].filter((account) => !noted.has(account));
    if (fresh.length === 0) return;
    if (noted.size > maxNoted) noted.clear();
    for (const account of fresh) noted.add(account);
    accounts.noteGrantsSeen(fresh).catch((error: unknown) => {
      for (const account of fresh) noted.delete(account);
      logger.warn({ err: error }, 'grants seen on the chain could not be noted');
    });
  };
}
