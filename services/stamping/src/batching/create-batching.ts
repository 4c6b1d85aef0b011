import { profileOf, type Rpc } from '@indelible/ethereum';
import type { LaneKeys } from '@indelible/ethereum/custody';
import type { Hex } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import type { ReplySender } from '@indelible/redis';
import type { Logger, Tracing } from '@indelible/service-runtime';
import type { Config } from '../config.ts';
import type { Telemetry } from '../telemetry.ts';
import { createBroadcaster } from './broadcaster.ts';
import { readChainLimits } from './chain-limits.ts';
import { createFeeSource } from './fees.ts';
import type { FundsShares } from './funds-shares.ts';
import { createLane } from './lane.ts';
import { createLaneFunds } from './lane-funds.ts';
import { createLaneGrant, operatorOfLane } from './lane-grant.ts';
import { createLaneSigner } from './lane-signer.ts';
import { createLanes } from './lanes.ts';
import { settleBatch } from './settle-batch.ts';
import { hasGrant } from './settle-grant.ts';
import { createNonceSettling } from './settle-used.ts';
import { createSharedAnswer } from './shared-answer.ts';
import { createStoreAge } from './store-age.ts';
import { supersedeBatch } from './supersede-batch.ts';

/** The lanes of this replica and what they share: chain limits and fees, the broadcaster, settling of used nonces. */
export function createBatching(
  config: Config,
  parts: {
    readonly keys: LaneKeys;
    /** This replica, in lane leases. */
    readonly holder: string;
    readonly database: Database;
    readonly rpc: Rpc;
    readonly shares: FundsShares;
    readonly replies: ReplySender;
    readonly telemetry: Telemetry;
    readonly tracing: Tracing;
    readonly logger: Logger;
    readonly now: () => number;
  },
) {
  const { keys, database, rpc, shares, replies, telemetry, logger, now } = parts;
  const { chainId, contractAddress: contract, confirmation } = config;
  const { operator } = keys;
  const isGranted = async (lane: Hex): Promise<boolean> => (await operatorOfLane(rpc, contract, lane)) === operator;
  const age = createStoreAge({ database, rpc, chainId, isGranted, served: () => lanes.addresses(), logger, now });
  const limits = createSharedAnswer({
    ask: (signal) => readChainLimits(rpc, chainId, signal),
    maxAgeMs: 10_000,
    timeoutMs: 30_000,
    now,
  });
  const settleUsed = createNonceSettling({
    ...{ database, rpc, chainId, logger, isGranted },
    settle: async (batchId, receipt) =>
      replies.send(await settleBatch({ database, chainId, confirmation }, batchId, receipt)),
    hasGrant: (batchId) => hasGrant({ database, rpc, contract, operator }, batchId),
    supersede: async (batchId, finalBlock) => {
      const superseded = await supersedeBatch(database, batchId, { chainId, finalBlock });
      await replies.send(superseded?.replies ?? []);
      return superseded?.stamps;
    },
  });
  const broadcaster = createBroadcaster({
    ...{ database, rpc, logger, settleUsed, now },
    replaceAfterMs: config.replaceAfterMs,
    maxGas: async () => (await limits()).gas,
    onFault: telemetry.broadcastFault,
    onReplaced: telemetry.replaced,
  });
  const fees = createFeeSource({
    ...{ rpc, now },
    capPerGas: config.maxFeePerGas,
    maxTipPerGas: BigInt(profileOf(chainId).maxTipGwei) * 1_000_000_000n,
    maxAgeMs: 1_000,
  });
  const makeLane = (index: number, lane: Hex) =>
    createLane({
      signer: createLaneSigner({
        ...{ signer: keys.signer, index, address: lane, logger, now },
        onFault: telemetry.signerFault,
      }),
      grant: createLaneGrant({
        ...{ rpc, contract, operator, lane, logger, now },
        maxAgeMs: config.fundsPollMs,
        onLooked: telemetry.laneGrant,
      }),
      settings: {
        leaseMs: config.laneLeaseMs,
        lingerMs: config.batchLingerMs,
        maxInFlight: config.maxBatchesInFlight,
        rebroadcastMs: config.rebroadcastMs,
        fundsPollMs: config.fundsPollMs,
      },
      signing: { database, chainId, contract, operator, maxItems: config.maxBatchItems, tracing: parts.tracing },
      funds: createLaneFunds({
        ...{ rpc, database, lane, logger, now },
        reserveWei: config.laneReserveWei,
        maxAgeMs: config.fundsPollMs,
        onBalance: telemetry.laneBalance,
      }),
      ...{ age, holder: parts.holder, limits, rpc, fees, shares, broadcaster, logger },
      onSigned: telemetry.signed,
      onBroadcast: telemetry.broadcast,
      onReleased: telemetry.laneReleased,
    });
  const lanes = createLanes({
    count: keys.count,
    addressOf: (index) => keys.signer.address(index),
    make: makeLane,
    logger,
  });
  return { age, lanes, settleUsed };
}
