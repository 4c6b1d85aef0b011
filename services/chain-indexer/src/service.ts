import { createRpc, followHead, profileOf, type RpcClient } from '@indelible/ethereum';
import { createRelay, type EventPublisher } from '@indelible/event-store';
import { brokerOf, createMessageBus } from '@indelible/kafka';
import { BlockAppended, BlocksFinalized, BlocksReverted, BlocksSafe, type MessageContract } from '@indelible/messages';
import { createDatabase, createLeadership, type Database } from '@indelible/postgres';
import {
  type Component,
  createInternalServer,
  createServiceMetrics,
  type Logger,
  noTracing,
  PermanentError,
  showPools,
  type Tracing,
} from '@indelible/service-runtime';
import { Router } from 'express';
import { headRoute } from './api/head-route.ts';
import { republishRoute } from './api/republish-route.ts';
import type { Config } from './config.ts';
import { followChain } from './following/follow-chain.ts';
import type { StepOutcome } from './following/follow-step.ts';
import { createHeadSignal } from './following/head-signal.ts';
import { createHeadWatch } from './following/head-watch.ts';
import { createRpcChain, fetchedHeader } from './following/rpc-chain.ts';
import { createStore } from './following/store.ts';
import { schema } from './schema.ts';
import { createTelemetry, type Telemetry } from './telemetry.ts';

const contracts = [BlockAppended, BlocksReverted, BlocksFinalized, BlocksSafe] as unknown as readonly MessageContract[];

/** The wiring: the chain is followed by one leader, what it stores is published by one relay, both wherever they lead. */
export function createChainIndexerService(
  config: Config,
  logger: Logger,
  _fail: (error: unknown) => void = () => {},
  tracing: Tracing = noTracing,
  metrics = createServiceMetrics('chain-indexer'),
): readonly Component[] {
  tracing.countIn(metrics);
  const bus = createMessageBus({
    ...brokerOf(config),
    clientId: 'chain-indexer',
    source: 'indelible/chain-indexer',
    logger,
    metrics,
  });
  const publisher = bus.createPublisher({ contracts });
  return [
    { name: 'publisher', start: publisher.start, stop: publisher.stop, ready: publisher.ready },
    ...createIndexer(config, publisher, logger, metrics, tracing),
  ];
}

/** All but the connection to the broker. */
export function createIndexer(
  config: Config,
  publisher: EventPublisher,
  logger: Logger,
  metrics = createServiceMetrics('chain-indexer'),
  tracing: Tracing = noTracing,
): readonly Component[] {
  const { chainId } = config;
  const database = createDatabase({
    url: config.databaseUrl,
    schema,
    applicationName: 'chain-indexer',
    maxConnections: 5,
    logger,
  });
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
  const relay = createRelay({ database, publisher, contracts, logger, metrics, prunePublished: true });
  const follower = createFollower(config, { database, rpc, telemetry, tracing, logger });
  // Whoever asks whether this replica is ready must also be able to see how far it is.
  const components: Component[] = [
    { name: 'database', start: async () => {}, stop: database.close, ready: database.reachable },
    { name: 'rpc', start: async () => {}, stop: async () => rpc.close() },
    relay,
    follower,
  ];
  const server = createInternalServer({
    host: config.internalHost,
    port: config.internalPort,
    tokens: config.internalTokens,
    logger,
    components: () => components,
    routes: Router().use(headRoute(database, chainId), republishRoute(database, chainId)),
    metrics,
  });
  return [...components, server];
}

/** Follows the chain while this replica leads; a standby is ready when it could. */
function createFollower(
  config: Config,
  parts: {
    readonly database: Database;
    readonly rpc: RpcClient;
    readonly telemetry: Telemetry;
    readonly tracing: Tracing;
    readonly logger: Logger;
  },
): Component {
  const { database, rpc, telemetry, tracing, logger } = parts;
  const { chainId } = config;
  let head = Number.POSITIVE_INFINITY;
  let indexed = 0;
  let halted = false;
  const leadership = createLeadership({
    url: config.databaseUrl,
    name: `${schema}.follower.${chainId}`,
    logger,
    lead: async (_session, signal) => {
      const heads = createHeadSignal();
      const watch = createHeadWatch({
        logger,
        blockTimeMs: profileOf(chainId).blockTimeMs,
        hosts: () => rpc.endpoints().map(({ host }) => host),
        now: () => performance.now(),
      });
      const following = followHead({
        rpc,
        urls: config.rpcUrls,
        ...(config.wsUrls === undefined ? {} : { wsUrls: config.wsUrls }),
        pollIntervalMs: config.pollIntervalMs,
        watchdogMs: config.headSilenceMs,
        signal,
        logger,
        onHead: (told) => {
          head = told.number;
          const header = fetchedHeader(told);
          telemetry.headTold(header);
          watch.heard(header);
          heads.tell(header);
        },
      });
      const chain = createRpcChain({
        rpc,
        contract: config.contractAddress,
        timeoutMs: config.rpcTimeoutMs,
        signal,
        logger,
      });
      const store = createStore(database, chainId, tracing);
      const everySecond = setInterval(() => {
        watch.check();
        telemetry.headAge(watch.ageSeconds());
        // Requests to publish blocks again may come to any replica.
        void store.run().then(
          (run) => run !== undefined && heads.wake(),
          () => undefined,
        );
      }, 1_000);
      signal.addEventListener('abort', () => clearInterval(everySecond), { once: true });
      const settings = { ...config, window: config.catchUpWindow };
      const checkChain = async (): Promise<void> => {
        const actual = await rpc.chainId();
        if (actual !== chainId) throw new PermanentError(`the node is of chain ${actual}, not ${chainId}`);
      };
      const ports = { chain, store, observer: telemetry.observer };
      const onStep = (outcome: StepOutcome): void => {
        indexed = outcome.cursor.number;
        halted = outcome.kind === 'halted';
        telemetry.stepDone(outcome);
      };
      const onFault = telemetry.followingFailed;
      await followChain({ ports, settings, heads, signal, logger, checkChain, onStep, onFault });
      await following.done;
      telemetry.leadLost();
    },
  });
  return {
    ...leadership,
    name: `follower of chain ${chainId}`,
    ready: () => !leadership.leading() || (!halted && head - indexed <= config.readyLagBlocks),
  };
}
