import { createBlobStore, timeOperations } from '@indelible/blob-store';
import { createInboxKeeper, createRelay } from '@indelible/event-store';
import { failpoint } from '@indelible/failpoints';
import { brokerOf, createMessageBus, type IncomingMessage, isMessage, mergePartitions } from '@indelible/kafka';
import {
  FileFailed,
  FileFailedV1,
  FileFailedV2,
  FileStored,
  FileStoredV1,
  KeepNonConfirmedContent,
  StampConfirmed,
  StampConfirmedV2,
  StampFailed,
  StampFailedV1,
  StampRequested,
  StampRequestJoined,
  StampRequestRefused,
  StampReverted,
  StampRevertedV2,
  StoreUploadedContent,
} from '@indelible/messages';
import { createDatabase } from '@indelible/postgres';
import { closeRedis, createRedis } from '@indelible/redis';
import { createReplySender } from '@indelible/replies';
import {
  type Component,
  createInternalServer,
  createServiceMetrics,
  handleInSteps,
  type Logger,
  noTracing,
  PermanentError,
  processing,
  showPools,
  type Tracing,
} from '@indelible/service-runtime';
import { createRoutes } from './api/routes.ts';
import type { Config } from './config.ts';
import type { RefusalMessage, StampMessage } from './decisions/follow-stamp.ts';
import { schema } from './migrations/migrations.ts';
import { countPending } from './tables/files.ts';
import { createTelemetry } from './telemetry.ts';
import { adoptFiles } from './use-cases/adopt-files.ts';
import { discardContent } from './use-cases/discard-content.ts';
import { type FileCommand, handleFileCommands } from './use-cases/handle-file-commands.ts';
import { joinMoves } from './use-cases/join-moves.ts';
import { lookAtNamingMessages } from './use-cases/look-at-messages.ts';
import { consumerName, recordStamps } from './use-cases/record-stamps.ts';
import { uploadsConsumer } from './use-cases/record-upload.ts';
import { createFileRetries } from './use-cases/retry-files.ts';
import { type StorePorts, storePendingFiles } from './use-cases/store-files.ts';
import { createSweep } from './use-cases/sweep-staged.ts';

/** The events of this service. */
const events = [FileStored, FileFailed];
/** What its relay publishes: an update may find events of former versions recorded and not yet published. */
const published = [...events, FileStoredV1, FileFailedV1, FileFailedV2];
/** What it handles of events.stamps, of former versions as well. */
const stampMessages = [
  StampRequested,
  StampRequestJoined,
  StampRequestRefused,
  StampConfirmed,
  StampConfirmedV2,
  StampReverted,
  StampRevertedV2,
  StampFailed,
  StampFailedV1,
];

/**
 * The wiring, topic to use case:
 * events.stamps → use-cases/record-stamps.ts (what is claimed, which path) → use-cases/store-files.ts (moves, FileStored)
 *   → use-cases/discard-content.ts
 * commands.files → use-cases/record-upload.ts (a file that is there, or copies for which commitments) →
 *   use-cases/store-files.ts → use-cases/adopt-files.ts (files of commitments whose stamps are heard of only now);
 *   use-cases/keep-non-confirmed.ts (content of what could not be stamped)
 * schema storage, events → relay → events.files (FileStored, FileFailed)
 * timers, each in one replica → use-cases/sweep-staged.ts, use-cases/retry-files.ts (files that could not be moved in time)
 */
export function createStorageService(
  config: Config,
  logger: Logger,
  fail: (error: unknown) => void,
  tracing: Tracing = noTracing,
  metrics = createServiceMetrics('storage'),
): readonly Component[] {
  tracing.countIn(metrics);
  const database = createDatabase({ url: config.databaseUrl, schema, applicationName: 'storage', logger });
  const redis = createRedis(config.redisUrl, { name: 'storage', access: config.redisAccess, logger });
  const blobStore = joinMoves(timeOperations(createBlobStore(config.blobStore), metrics));
  showPools(metrics, [database]);
  const bus = createMessageBus({
    ...brokerOf(config),
    clientId: 'storage',
    source: 'indelible/storage',
    logger,
    metrics,
  });
  const publisher = bus.createPublisher({ contracts: published });
  const replies = createReplySender({ redis, keyPrefix: config.topicPrefix, logger });
  const consumer = bus.createConsumer({
    groupId: consumerName,
    contracts: stampMessages,
    maxBatchMessages: 500,
    concurrency: 8,
    handle: mergePartitions((all) =>
      handleInSteps(tracing, all.filter(mayChangeFiles), processing('events.stamps'), handleStamps),
    ),
  });
  const uploads = bus.createConsumer({
    groupId: uploadsConsumer,
    contracts: [StoreUploadedContent, KeepNonConfirmedContent],
    concurrency: 4,
    handle: (batch) =>
      handleInSteps(tracing, batch, processing('commands.files'), (messages) =>
        handleFileCommands(ports, messages.map(fileCommandOf), telemetry),
      ),
  });
  consumer.onFatal(fail);
  uploads.onFatal(fail);
  const ports: StorePorts = { database, blobStore, replies, now: () => new Date() };
  const telemetry = createTelemetry(logger, metrics, {
    pendingFiles: () => countPending(database),
    deadLetters: () => bus.deadLetters.count(),
  });
  async function handleStamps(batch: readonly IncomingMessage[]): Promise<void> {
    const messages = batch.map(stampMessageOf);
    const recorded = await recordStamps(database, messages);
    if (confirmedOf(messages).length > 0) failpoint('storage.recorded');
    telemetry.stampsRecorded(recorded);
    const requestIds = requestIdsOf(batch);
    const result = await storeOf(ports, messages, requestIds);
    telemetry.filesStored(result, requestIds);
    telemetry.confirmedStored(result.stored, timesOf(batch));
    telemetry.contentKept(await discardContent(blobStore, recorded.discards));
    await adoptFiles(database, 'stamps', confirmedOf(messages));
    if (result.away !== undefined) throw result.away;
  }
  const components: Component[] = [];
  const server = createInternalServer({
    host: config.internalHost,
    port: config.internalPort,
    tokens: config.internalTokens,
    logger,
    components: () => components,
    routes: createRoutes({ database, logger }),
    metrics,
  });
  components.push(
    { name: 'database', async start() {}, stop: () => database.close(), ready: () => database.reachable() },
    { name: 'redis', async start() {}, stop: () => closeRedis(redis) },
    { name: 'blob store', async start() {}, async stop() {}, ready: () => blobStore.check() },
    server,
    {
      name: 'publisher',
      start: () => publisher.start(),
      stop: () => publisher.stop(),
      ready: () => publisher.ready(),
    },
    createRelay({ database, publisher, contracts: published, logger, metrics }),
    createInboxKeeper({ database, logger }),
    createFileRetries({ database, ports, logger, telemetry }),
    createSweep({
      database,
      blobStore,
      logger,
      afterMs: config.sweepAfterMs,
      intervalMs: config.sweepIntervalMs,
      look: () => lookAtNamingMessages(bus),
      onSwept: telemetry.stagingSwept,
    }),
    {
      name: 'consumer',
      start: () => consumer.start(),
      stop: () => consumer.stop(),
      ready: () => consumer.ready() && !consumer.stalled(),
    },
    {
      name: 'uploads consumer',
      start: () => uploads.start(),
      stop: () => uploads.stop(),
      ready: () => uploads.ready() && !uploads.stalled(),
    },
  );
  return components;
}

/** All files pending for the batch's stamps: also those that an attempt before this one left so. */
function storeOf(
  ports: StorePorts,
  messages: readonly (StampMessage | RefusalMessage)[],
  requestIds: ReadonlyMap<string, string>,
) {
  const stampIds = messages.flatMap((message) =>
    message.type === 'StampRequestRefused' ? [] : [message.data.stampId],
  );
  return storePendingFiles(ports, [...new Set(stampIds)], requestIds);
}

const confirmedOf = (messages: readonly (StampMessage | RefusalMessage)[]): string[] =>
  messages.flatMap((message) => (message.type === 'StampConfirmed' ? [message.data.stampId] : []));

/** The HTTP requests behind confirmed stamps, by stamp: they run through logs and messages. */
const requestIdsOf = (batch: readonly IncomingMessage[]): ReadonlyMap<string, string> =>
  new Map(
    batch.flatMap((message) =>
      (isMessage(message, StampConfirmed) || isMessage(message, StampConfirmedV2)) && message.requestId !== undefined
        ? [[message.data.stampId, message.requestId] as const]
        : [],
    ),
  );

/** When stamps were confirmed, by stamp. */
const timesOf = (batch: readonly IncomingMessage[]): ReadonlyMap<string, string> =>
  new Map(
    batch.flatMap((message) =>
      isMessage(message, StampConfirmed) || isMessage(message, StampConfirmedV2)
        ? [[message.data.stampId, message.time] as const]
        : [],
    ),
  );

function fileCommandOf(message: IncomingMessage): FileCommand {
  const { id, traceparent, requestId: httpRequestId } = message;
  const envelope = { id, ...(traceparent === undefined ? {} : { traceparent }) };
  if (isMessage(message, StoreUploadedContent))
    return { type: 'store-uploaded', message: { ...envelope, data: message.data }, httpRequestId };
  if (isMessage(message, KeepNonConfirmedContent))
    return { type: 'keep-non-confirmed', message: { id, data: message.data }, httpRequestId };
  throw new PermanentError(`${message.type}.v${message.version} is not handled here`);
}

/** A stamp without content is nothing to storage until it is confirmed: most of what comes. */
const mayChangeFiles = (message: IncomingMessage): boolean =>
  !isMessage(message, StampRequested) || message.data.content !== null;

export function stampMessageOf(message: IncomingMessage): StampMessage | RefusalMessage {
  const { id, traceparent } = message;
  const envelope = { id, ...(traceparent === undefined ? {} : { traceparent }) };
  if (isMessage(message, StampRequested)) return { ...envelope, type: 'StampRequested', data: message.data };
  if (isMessage(message, StampRequestJoined)) return { ...envelope, type: 'StampRequestJoined', data: message.data };
  if (isMessage(message, StampConfirmed)) return { ...envelope, type: 'StampConfirmed', data: message.data };
  if (isMessage(message, StampConfirmedV2)) {
    const data = { ...message.data, requestId: message.requestId ?? null, clientRef: null };
    return { ...envelope, type: 'StampConfirmed', data };
  }
  if (isMessage(message, StampReverted) || isMessage(message, StampRevertedV2))
    return { ...envelope, type: 'StampReverted', data: message.data };
  if (isMessage(message, StampFailed) || isMessage(message, StampFailedV1))
    return { ...envelope, type: 'StampFailed', data: message.data };
  if (isMessage(message, StampRequestRefused)) return { ...envelope, type: 'StampRequestRefused', data: message.data };
  throw new PermanentError(`${message.type}.v${message.version} is not handled here`);
}
