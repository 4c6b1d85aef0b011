import { randomUUID } from 'node:crypto';
import { createOperatorKeys, seedFromHexOrFile } from '@indelible/custody';
import { type ConfirmationDepth, createRpc, profileOf } from '@indelible/ethereum';
import { createInboxKeeper, createRelay } from '@indelible/event-store';
import { failpoint } from '@indelible/failpoints';
import { createMessageBus, type IncomingMessage, isMessage, type MessageBus, mergePartitions } from '@indelible/kafka';
import {
  AccountOpened,
  BlockAppended,
  BlocksFinalized,
  BlocksReverted,
  BlocksSafe,
  CollectionCreated,
  CollectionRegistered,
  CollectionReverted,
  CreateCollection,
  commandGroups,
  RequestStamp,
  StampConfirmed,
  StampFailed,
  StampRequested,
  StampRequestJoined,
  StampRequestRefused,
  StampReverted,
  StampsFinalized,
  StampsSubmitted,
} from '@indelible/messages';
import { createDatabase, type Database } from '@indelible/postgres';
import { closeRedis, createRedis } from '@indelible/redis';
import { createReplySender } from '@indelible/replies';
import { type Component, createInternalServer, type Logger } from '@indelible/service-runtime';
import { Registry } from 'prom-client';
import { handleAccountsOpened } from './accounts/handle-account-opened.ts';
import { createBroadcaster } from './batching/broadcaster.ts';
import { readChainLimits } from './batching/chain-limits.ts';
import { createFeeSource } from './batching/fees.ts';
import { createLane } from './batching/lane.ts';
import { createLaneFunds } from './batching/lane-funds.ts';
import { createRawKeeper } from './batching/raw-keeper.ts';
import { settleBatch } from './batching/settle-batch.ts';
import { hasGrant } from './batching/settle-grant.ts';
import { createNonceSettling } from './batching/settle-used.ts';
import { createSharedAnswer } from './batching/shared-answer.ts';
import { supersedeBatch } from './batching/supersede-batch.ts';
import { createUnservedLanesWatch } from './batching/unserved-lanes.ts';
import { createWorkListener } from './batching/work-listener.ts';
import type { Config } from './config.ts';
import { cutChainFacts, handleChainFacts } from './confirming/handle-chain-facts.ts';
import { createObservations } from './observations.ts';
import { handleCollectionRequests } from './requests/handle-collection-requests.ts';
import { handleStampRequests } from './requests/handle-stamp-requests.ts';
import { createIntake, type Intake } from './requests/intake.ts';
import { schema } from './schema.ts';

/** The events of this service: what its relay publishes. */
const published = [
  CollectionCreated,
  CollectionRegistered,
  CollectionReverted,
  StampConfirmed,
  StampFailed,
  StampRequested,
  StampRequestJoined,
  StampRequestRefused,
  StampReverted,
  StampsFinalized,
  StampsSubmitted,
];

/** The wiring page: topic to use case, and what each part is given. */
export async function createStampingService(
  config: Config,
  logger: Logger,
  fail: (error: unknown) => void,
): Promise<readonly Component[]> {
  const instance = `stamping-${randomUUID()}`;
  const metrics = new Registry();
  const observe = createObservations(logger, metrics);
  const keys = createOperatorKeys({ seed: await seedFromHexOrFile(config.operatorSeed) });
  const { chainId, contractAddress: contract, confirmation } = config;
  const operator = keys.operator.address;

  const database = createDatabase({
    url: config.databaseUrl,
    schema,
    applicationName: 'stamping',
    maxConnections: 10 + config.lanes,
    // A lane's next holder need not wait longer for a transaction that stands still than for the lease it is made under.
    idleInTransactionMs: config.laneLeaseMs,
    logger,
  });
  const rpc = createRpc({
    urls: config.rpcUrls,
    timeoutMs: 10_000,
    chainId,
    maxLagBlocks: profileOf(chainId).maxLagBlocks,
    logger,
    onEvent: observe.rpcEvent,
  });
  const redis = createRedis(config.redisUrl, { name: 'stamping', logger });
  const replies = createReplySender({ redis, keyPrefix: config.topicPrefix, logger });
  const bus = createMessageBus({
    brokers: config.kafkaBrokers,
    schemaRegistryUrl: config.schemaRegistryUrl,
    clientId: instance,
    source: 'indelible/stamping',
    topicPrefix: config.topicPrefix,
    sessionTimeoutMs: config.kafkaSessionTimeoutMs,
    logger,
    onEvent: observe.busEvent,
  });
  const publisher = bus.createPublisher({ contracts: published });
  const relay = createRelay({ database, publisher, contracts: published, logger });

  const consumers = createConsumers(bus, {
    database,
    send: replies.send,
    observe,
    chainId,
    operator,
    contract,
    confirmation,
    intake: createIntake({
      database,
      maxWaiting: config.maxWaitingStamps,
      maxAgeMs: 500,
      now: performance.now.bind(performance),
    }),
  });
  for (const consumer of consumers) consumer.onFatal(fail);

  const now = (): number => performance.now();
  const limits = createSharedAnswer({
    ask: (signal) => readChainLimits(rpc, chainId, signal),
    maxAgeMs: 10_000,
    timeoutMs: 30_000,
    now,
  });
  const broadcaster = createBroadcaster({
    database,
    rpc,
    logger,
    replaceAfterMs: config.replaceAfterMs,
    now,
    maxGas: async () => (await limits()).gas,
    onFault: observe.broadcastFault,
    onReplaced: observe.replaced,
    settleUsed: createNonceSettling({
      database,
      rpc,
      chainId,
      logger,
      settle: async (batchId, receipt) =>
        replies.send(await settleBatch({ database, chainId, confirmation }, batchId, receipt)),
      hasGrant: (batchId) => hasGrant({ database, rpc, contract, operator }, batchId),
      supersede: (batchId, finalBlock) => supersedeBatch(database, batchId, { chainId, finalBlock }),
    }),
  });
  const fees = createFeeSource({
    rpc,
    capPerGas: config.maxFeePerGas,
    maxTipPerGas: BigInt(profileOf(chainId).maxTipGwei) * 1_000_000_000n,
    maxAgeMs: 1_000,
    now,
  });
  const lanes = Array.from({ length: config.lanes }, (_, index) =>
    createLane({
      key: keys.lane(index),
      holder: instance,
      settings: {
        leaseMs: config.laneLeaseMs,
        lingerMs: config.batchLingerMs,
        maxInFlight: config.maxBatchesInFlight,
        rebroadcastMs: config.rebroadcastMs,
        fundsPollMs: config.fundsPollMs,
      },
      signing: { database, chainId, contract, operator, maxItems: config.maxBatchItems },
      limits,
      rpc,
      fees,
      funds: createLaneFunds({
        rpc,
        database,
        lane: keys.lane(index).address,
        reserveWei: config.laneReserveWei,
        maxAgeMs: config.fundsPollMs,
        onBalance: observe.laneBalance,
        logger,
        now,
      }),
      broadcaster,
      onSigned: observe.signed,
      logger,
    }),
  );
  const listener = createWorkListener({
    databaseUrl: config.databaseUrl,
    logger,
    onWork: (work) => {
      for (const lane of lanes) lane.wake(work);
    },
  });

  const components: Component[] = [
    connections(database, async () => {
      rpc.close();
      await closeRedis(redis);
      await database.close();
    }),
    { name: 'publisher', start: publisher.start, stop: publisher.stop, ready: publisher.ready },
    relay,
    createInboxKeeper({ database, logger }),
    createRawKeeper({ database, logger }),
    createUnservedLanesWatch({
      database,
      chainId,
      served: Array.from({ length: config.lanes }, (_, index) => keys.lane(index).address),
      onFound: observe.unserved,
      logger,
    }),
    ...lanes,
    listener,
    ...consumers.map((consumer, i) => ({
      name: `consumer ${i + 1}`,
      start: consumer.start,
      stop: consumer.stop,
      ready: consumer.ready,
    })),
  ];
  const server = createInternalServer({
    host: config.internalHost,
    port: config.internalPort,
    logger,
    components: () => components,
    metrics,
  });
  return [server, ...components];
}

const connections = (database: Database, stop: () => Promise<void>): Component => ({
  name: 'database',
  start: async () => {},
  stop,
  ready: () => database.reachable(),
});

/** One consumer per kind of input: a slow chain does not hold requests back, nor the other way round. */
function createConsumers(
  bus: MessageBus,
  parts: Parameters<typeof handleAccountsOpened>[0] & {
    readonly confirmation: ConfirmationDepth;
    readonly intake: Intake;
    readonly send: ReturnType<typeof createReplySender>['send'];
    readonly observe: ReturnType<typeof createObservations>;
  },
) {
  const { database, chainId, intake, send, observe } = parts;
  const requests = bus.createConsumer({
    groupId: commandGroups['commands.stamps'],
    contracts: [RequestStamp, CreateCollection],
    concurrency: 8,
    handle: mergePartitions(async (batch, { topic }) => {
      const outcome =
        topic === 'commands.stamps'
          ? await handleStampRequests({ database, chainId, now: Date.now, intake }, only(batch, RequestStamp))
          : await handleCollectionRequests({ database, intake }, only(batch, CreateCollection));
      if (topic === 'commands.stamps') failpoint('stamping.decided');
      observe.decided(outcome);
      await send(outcome.replies);
    }),
  });
  const facts = bus.createConsumer({
    groupId: 'stamping.facts',
    contracts: [AccountOpened, BlockAppended, BlocksReverted, BlocksSafe, BlocksFinalized],
    concurrency: 2,
    async handle(batch, { topic }) {
      if (topic === 'events.accounts') return handleAccountsOpened(parts, only(batch, AccountOpened));
      const sending: Promise<void>[] = [];
      for (const facts of cutChainFacts(batch)) {
        const outcome = await handleChainFacts(parts, facts);
        if (outcome.confirmed > 0) failpoint('stamping.confirmed');
        observe.chainRead(outcome);
        // Those who wait for them are answered while the next are read.
        sending.push(send(outcome.replies));
      }
      await Promise.all(sending);
    },
  });
  return [requests, facts];
}

const only = <Contract extends Parameters<typeof isMessage>[1]>(
  batch: readonly IncomingMessage[],
  contract: Contract,
): IncomingMessage<Contract>[] =>
  batch.filter((message): message is IncomingMessage<Contract> => isMessage(message, contract));
