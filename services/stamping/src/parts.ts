import { randomUUID } from 'node:crypto';
import { createRpc, profileOf } from '@indelible/ethereum';
import { openLaneKeys } from '@indelible/ethereum/custody';
import { createServiceBus } from '@indelible/kafka';
import { createDatabase } from '@indelible/postgres';
import { closeRedis, createRedis, createReplySender } from '@indelible/redis';
import {
  type Component,
  connection,
  createRepublishRequests,
  internalAddress,
  type Runtime,
  showPools,
} from '@indelible/service-runtime';
import { lookAtBacklog } from './batching/backlog.ts';
import { createBatching } from './batching/create-batching.ts';
import { createFundsShares } from './batching/funds-shares.ts';
import type { Config } from './config.ts';
import { publishedEvents } from './published-events.ts';
import { createIntake } from './requests/intake.ts';
import { schema } from './schema.ts';
import { createTelemetry } from './telemetry.ts';
import { timeReplies } from './time-replies.ts';

/** Timeout of a lane's signer. */
const longestSignatureMs = 3_000;

/** What stamping's components and handlers share: connections, and what is built on them. */
export async function createParts(config: Config, { logger, tracing, metrics }: Runtime) {
  const { chainId, contractAddress: contract, confirmation, databaseUrl: url } = config;
  const replica = `stamping-${randomUUID()}`;
  const now = (): number => performance.now();
  const profile = profileOf(chainId);
  // A signature is made in the transaction that stores it, while the lease must hold.
  const keys = await openLaneKeys(config.laneKeys, Math.min(longestSignatureMs, config.laneLeaseMs / 2));
  const database = createDatabase({
    ...{ url, schema, logger, applicationName: 'stamping' },
    maxConnections: 10 + keys.count,
    // A blocked transaction delays the lane's next holder no longer than its lease.
    idleInTransactionMs: config.laneLeaseMs,
  });
  // Status queries have their own pool: however many there are, deciding, signing and confirming never wait for a
  // connection (I12).
  const queries = createDatabase({
    ...{ url, schema, logger, applicationName: 'stamping queries' },
    maxConnections: 4,
    statementTimeoutMs: 3_000,
    answerTimeoutMs: 4_000,
  });
  showPools(metrics, [database, queries]);
  const shares = createFundsShares({
    ...{ database, logger, now },
    hours: config.fundsShareHours,
    maxAgeMs: config.fundsPollMs,
  });
  const telemetry = createTelemetry(logger, metrics, {
    blockTimeMs: profile.blockTimeMs,
    backlog: () => lookAtBacklog(database, config.maxWaitingStamps),
    shares,
  });
  const rpc = createRpc({
    ...{ urls: config.rpcUrls, chainId, logger, maxLagBlocks: profile.maxLagBlocks },
    timeoutMs: 10_000,
    onEvent: telemetry.rpcEvent,
  });
  const redis = createRedis(config.redisUrl, { name: 'stamping', access: config.redisAccess, logger });
  const sender = createReplySender({ redis, keyPrefix: config.topicPrefix, logger });
  const replies = timeReplies(sender, telemetry.replied);
  const bus = createServiceBus(config, 'stamping', { logger, metrics, clientId: replica });
  const indexer = internalAddress(config.indexerUrl, config.internalTokens);
  const republishing = createRepublishRequests({ indexer, logger });
  const intake = createIntake({ database, maxWaiting: config.maxWaitingStamps, shares, maxAgeMs: 500, now });
  const connections: readonly Component[] = [
    connection('database', { close: database.close, ready: database.reachable }),
    connection('queries', { close: queries.close }),
    connection('redis', { close: () => closeRedis(redis) }),
    connection('keys', { close: keys.close }),
    connection('rpc', { close: rpc.close }),
    connection('requests to publish again', { close: republishing.close }),
  ];
  return {
    ...createBatching(config, {
      keys,
      holder: replica,
      database,
      rpc,
      shares,
      replies,
      telemetry,
      tracing,
      logger,
      now,
    }),
    ...{ connections, database, queries, rpc, replies, bus, republishing, intake, telemetry, tracing },
    ...{ chainId, contract, confirmation, operator: keys.operator, now, logger },
    publisher: bus.createPublisher({ contracts: publishedEvents }),
  };
}
