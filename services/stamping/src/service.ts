import { randomUUID } from 'node:crypto';
import { openLaneKeys } from '@indelible/custody';
import { type ConfirmationDepth, createRpc, profileOf } from '@indelible/ethereum';
import { createInboxKeeper, createRelay } from '@indelible/event-store';
import { failpoint } from '@indelible/failpoints';
import type { Hex } from '@indelible/identifiers';
import {
  brokerOf,
  createMessageBus,
  type IncomingMessage,
  isMessage,
  type MessageBus,
  mergePartitions,
} from '@indelible/kafka';
import {
  AccountOpened,
  BlockAppended,
  BlocksFinalized,
  BlocksReverted,
  BlocksSafe,
  CreateCollection,
  commandGroups,
} from '@indelible/messages';
import { createDatabase, type Database } from '@indelible/postgres';
import { closeRedis, createRedis } from '@indelible/redis';
import { createReplySender, type ReplySender } from '@indelible/replies';
import {
  type Component,
  createInternalServer,
  createKeeper,
  createRepublishRequests,
  createServiceMetrics,
  handleInSteps,
  internalAddress,
  type Logger,
  noTracing,
  processing,
  type RepublishRequests,
  showPools,
  type Tracing,
} from '@indelible/service-runtime';
import { createUnserviceableKeeper } from './accounts/end-unserviceable.ts';
import { handleAccountsOpened } from './accounts/handle-account-opened.ts';
import { showBacklog } from './backlog-metrics.ts';
import { lookAtBacklog } from './batching/backlog.ts';
import { createBroadcaster } from './batching/broadcaster.ts';
import { readChainLimits } from './batching/chain-limits.ts';
import { createFeeSource } from './batching/fees.ts';
import { createLane } from './batching/lane.ts';
import { createLaneFunds } from './batching/lane-funds.ts';
import { createLaneGrant, operatorOfLane } from './batching/lane-grant.ts';
import { createLaneSigner } from './batching/lane-signer.ts';
import { createLanes } from './batching/lanes.ts';
import { createRawKeeper } from './batching/raw-keeper.ts';
import { settleBatch } from './batching/settle-batch.ts';
import { hasGrant } from './batching/settle-grant.ts';
import { createNonceSettling } from './batching/settle-used.ts';
import { createSharedAnswer } from './batching/shared-answer.ts';
import { createStoreAge, type StoreAge } from './batching/store-age.ts';
import { supersedeBatch } from './batching/supersede-batch.ts';
import { createUnservedLanesWatch } from './batching/unserved-lanes.ts';
import { createWorkListener } from './batching/work-listener.ts';
import type { Config } from './config.ts';
import { cutChainFacts, handleChainFacts } from './confirming/handle-chain-facts.ts';
import { createObservations } from './observations.ts';
import { publishedEvents } from './published-events.ts';
import { forgetRequests } from './requests/forget-requests.ts';
import { handleCollectionRequests } from './requests/handle-collection-requests.ts';
import { handleStampRequests } from './requests/handle-stamp-requests.ts';
import { createIntake, type Intake } from './requests/intake.ts';
import { stampRequestOf, stampRequests } from './requests/stamp-request-of.ts';
import { schema } from './schema.ts';

/** The wiring page: topic to use case, and what each part is given. */
export async function createStampingService(
  config: Config,
  logger: Logger,
  fail: (error: unknown) => void,
  tracing: Tracing = noTracing,
  metrics = createServiceMetrics('stamping'),
): Promise<readonly Component[]> {
  const instance = `stamping-${randomUUID()}`;
  tracing.countIn(metrics);
  const observe = createObservations(logger, metrics, profileOf(config.chainId));
  // A signature is made in the transaction that stores it, whose lease must hold meanwhile.
  const keys = await openLaneKeys(config.laneKeys, Math.min(longestSignatureMs, config.laneLeaseMs / 2));
  const { chainId, contractAddress: contract, confirmation } = config;
  const { operator } = keys;

  const database = createDatabase({
    url: config.databaseUrl,
    schema,
    applicationName: 'stamping',
    maxConnections: 10 + keys.count,
    // A lane's next holder need not wait longer for a transaction that stands still than for the lease it is made under.
    idleInTransactionMs: config.laneLeaseMs,
    logger,
  });
  showPools(metrics, [database]);
  showBacklog(metrics, () => lookAtBacklog(database, config.maxWaitingStamps));
  const rpc = createRpc({
    urls: config.rpcUrls,
    timeoutMs: 10_000,
    chainId,
    maxLagBlocks: profileOf(chainId).maxLagBlocks,
    logger,
    onEvent: observe.rpcEvent,
  });
  const redis = createRedis(config.redisUrl, { name: 'stamping', access: config.redisAccess, logger });
  const replies = timeReplies(createReplySender({ redis, keyPrefix: config.topicPrefix, logger }), observe.replied);
  const bus = createMessageBus({
    ...brokerOf(config),
    clientId: instance,
    source: 'indelible/stamping',
    logger,
    metrics,
  });
  const publisher = bus.createPublisher({ contracts: publishedEvents });
  const relay = createRelay({ database, publisher, contracts: publishedEvents, logger, metrics });

  const republishing = createRepublishRequests({
    indexer: internalAddress(config.indexerUrl, config.internalTokens),
    logger,
  });
  const now = (): number => performance.now();
  const isGranted = async (lane: Hex): Promise<boolean> => (await operatorOfLane(rpc, contract, lane)) === operator;
  const age = createStoreAge({ database, rpc, chainId, isGranted, served: () => lanes.addresses(), logger, now });
  const consumers = createConsumers(bus, {
    database,
    age,
    republishing,
    send: replies.send,
    observe,
    chainId,
    operator,
    contract,
    confirmation,
    tracing,
    intake: createIntake({
      database,
      maxWaiting: config.maxWaitingStamps,
      maxAgeMs: 500,
      now: performance.now.bind(performance),
    }),
  });
  for (const consumer of Object.values(consumers)) consumer.onFatal(fail);

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
      isGranted,
      settle: async (batchId, receipt) =>
        replies.send(await settleBatch({ database, chainId, confirmation }, batchId, receipt)),
      hasGrant: (batchId) => hasGrant({ database, rpc, contract, operator }, batchId),
      supersede: async (batchId, finalBlock) => {
        const superseded = await supersedeBatch(database, batchId, { chainId, finalBlock });
        await replies.send(superseded?.replies ?? []);
        return superseded?.stamps;
      },
    }),
  });
  const fees = createFeeSource({
    rpc,
    capPerGas: config.maxFeePerGas,
    maxTipPerGas: BigInt(profileOf(chainId).maxTipGwei) * 1_000_000_000n,
    maxAgeMs: 1_000,
    now,
  });
  const lanes = createLanes({
    count: keys.count,
    addressOf: (index) => keys.signer.address(index),
    make: (index, lane) =>
      createLane({
        signer: createLaneSigner({
          ...{ signer: keys.signer, index, address: lane, logger, now },
          onFault: observe.signerFault,
        }),
        age,
        grant: createLaneGrant({
          ...{ rpc, contract, operator, lane, logger, now },
          maxAgeMs: config.fundsPollMs,
          onLooked: observe.laneGrant,
        }),
        holder: instance,
        settings: {
          leaseMs: config.laneLeaseMs,
          lingerMs: config.batchLingerMs,
          maxInFlight: config.maxBatchesInFlight,
          rebroadcastMs: config.rebroadcastMs,
          fundsPollMs: config.fundsPollMs,
        },
        signing: { database, chainId, contract, operator, maxItems: config.maxBatchItems, tracing },
        limits,
        rpc,
        fees,
        funds: createLaneFunds({
          rpc,
          database,
          lane,
          reserveWei: config.laneReserveWei,
          maxAgeMs: config.fundsPollMs,
          onBalance: observe.laneBalance,
          logger,
          now,
        }),
        broadcaster,
        onSigned: observe.signed,
        onBroadcast: observe.broadcast,
        onReleased: observe.laneReleased,
        logger,
      }),
    logger,
  });
  const listener = createWorkListener({ databaseUrl: config.databaseUrl, logger, onWork: lanes.wake });

  const components: Component[] = [
    connections(database, async () => {
      republishing.close();
      rpc.close();
      keys.close();
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
      served: lanes.addresses,
      onFound: observe.unserved,
      logger,
    }),
    createKeeper({ of: 'old requests', forget: (limit) => forgetRequests(database, limit), logger }),
    createUnserviceableKeeper({ database, send: replies.send, logger }),
    lanes,
    listener,
    ...Object.entries(consumers).map(([input, consumer]) => ({
      name: `consumer of ${input}`,
      start: consumer.start,
      stop: consumer.stop,
      ready: () => consumer.ready() && !consumer.stalled(),
    })),
  ];
  const server = createInternalServer({
    host: config.internalHost,
    port: config.internalPort,
    tokens: config.internalTokens,
    logger,
    components: () => [...components, ...lanes.each()],
    metrics,
  });
  return [server, ...components];
}

/** How long a lane waits for its signer. */
const longestSignatureMs = 3_000;

const connections = (database: Database, stop: () => Promise<void>): Component => ({
  name: 'database',
  start: async () => {},
  stop,
  ready: () => database.reachable(),
});

const timeReplies = (sender: ReplySender, replied: (replies: number, seconds: number) => void): ReplySender => ({
  async send(replies) {
    const began = performance.now();
    await sender.send(replies);
    replied(replies.length, (performance.now() - began) / 1_000);
  },
});
const deciding = processing('commands.stamps');
const registering = processing('commands.collections');

/** One consumer per kind of input: none waits for another, nor do stamps for collections (I12). */
function createConsumers(
  bus: MessageBus,
  parts: Parameters<typeof handleAccountsOpened>[0] & {
    readonly confirmation: ConfirmationDepth;
    readonly tracing: Tracing;
    readonly intake: Intake;
    readonly age: StoreAge;
    readonly republishing: RepublishRequests;
    readonly send: ReturnType<typeof createReplySender>['send'];
    readonly observe: ReturnType<typeof createObservations>;
  },
) {
  const { database, chainId, intake, age, republishing, send, observe, tracing } = parts;
  const stamps = bus.createConsumer({
    groupId: commandGroups['commands.stamps'],
    contracts: stampRequests,
    concurrency: 8,
    handle: mergePartitions(async (batch) => {
      await age.passed();
      let requestedAt: readonly string[] = [];
      const outcome = await handleInSteps(tracing, batch, deciding, (messages) => {
        const requests = messages.flatMap(stampRequestOf);
        requestedAt = requests.map(({ data }) => data.requestedAt);
        return handleStampRequests({ database, chainId, now: Date.now, intake }, requests);
      });
      failpoint('stamping.decided');
      observe.decided(outcome, requestedAt);
      await send(outcome.replies);
    }),
  });
  const collections = bus.createConsumer({
    groupId: commandGroups['commands.collections'],
    contracts: [CreateCollection],
    concurrency: 8,
    handle: mergePartitions(async (batch) => {
      await age.passed();
      const outcome = await handleInSteps(tracing, only(batch, CreateCollection), registering, (messages) =>
        handleCollectionRequests({ database, intake }, messages),
      );
      observe.decided(outcome);
      await send(outcome.replies);
    }),
  });
  const facts = bus.createConsumer({
    groupId: 'stamping.facts',
    contracts: [AccountOpened, BlockAppended, BlocksReverted, BlocksSafe, BlocksFinalized],
    concurrency: 2,
    async handle(batch, { topic }) {
      await age.passed();
      if (topic === 'events.accounts') return handleAccountsOpened(parts, only(batch, AccountOpened));
      const sending: Promise<void>[] = [];
      for (const facts of cutChainFacts(batch))
        await handleChainFacts(parts, facts, (outcome) => {
          if (outcome.confirmed > 0) failpoint('stamping.confirmed');
          observe.chainRead(outcome);
          if (outcome.followed) republishing.followed();
          if (outcome.missing !== undefined) republishing.missing(outcome.missing);
          // Those who wait for them are answered while the next are read.
          sending.push(send(outcome.replies));
        });
      await Promise.all(sending);
    },
  });
  return { stamps, collections, facts };
}

const only = <Contract extends Parameters<typeof isMessage>[1]>(
  batch: readonly IncomingMessage[],
  contract: Contract,
): IncomingMessage<Contract>[] =>
  batch.filter((message): message is IncomingMessage<Contract> => isMessage(message, contract));
