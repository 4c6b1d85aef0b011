import { setTimeout as delay } from 'node:timers/promises';
import type { Rpc } from '@indelible/ethereum';
import { type SignerFault, type SignerPort, signDigestWithKey } from '@indelible/ethereum/custody';
import type { Hex } from '@indelible/identifiers';
import { createLogger, noTracing } from '@indelible/service-runtime';
import { createBroadcaster } from '../../src/batching/broadcaster.ts';
import { createFeeSource } from '../../src/batching/fees.ts';
import type { FundsShares } from '../../src/batching/funds-shares.ts';
import { createLane } from '../../src/batching/lane.ts';
import { createLaneFunds } from '../../src/batching/lane-funds.ts';
import { createLaneGrant, operatorOfLane } from '../../src/batching/lane-grant.ts';
import { createLaneSigner } from '../../src/batching/lane-signer.ts';
import { settleBatch } from '../../src/batching/settle-batch.ts';
import { hasGrant } from '../../src/batching/settle-grant.ts';
import { createNonceSettling } from '../../src/batching/settle-used.ts';
import type { SignedBatch, Signing } from '../../src/batching/sign-batch.ts';
import { supersedeBatch } from '../../src/batching/supersede-batch.ts';
import type { Fixture } from './stamping-fixture.ts';

export type RunningLane = Awaited<ReturnType<typeof runLane>>;

const silent = createLogger({ service: 'test', level: 'silent' });

/** Runs the fixture's first lane like the service, while the chain makes blocks that are read at once. */
export async function runLane(
  fixture: Fixture,
  options: {
    readonly rpc?: Rpc;
    readonly replaceAfterMs?: number;
    readonly rebroadcastMs?: number;
    readonly maxInFlight?: number;
    readonly maxItems?: number;
    readonly reserveWei?: bigint;
    readonly capPerGas?: bigint;
    readonly limits?: () => Signing['limits'];
    readonly signer?: Pick<SignerPort, 'signDigest'>;
    readonly shares?: FundsShares;
  } = {},
) {
  const { database, chainId, contract, operator, facts, anvil } = fixture;
  const rpc = options.rpc ?? fixture.rpc;
  const key = fixture.lanes[0]!;
  const now = (): number => performance.now();
  const limits = async () => options.limits?.() ?? fixture.signing.limits;
  const signed: SignedBatch[] = [];
  const balances: boolean[] = [];
  const signerFaults: SignerFault[] = [];
  let baseFee: bigint | undefined;
  let mining = true;

  await database.query(`update lanes set lease_until = 'epoch' where lane = $1`, [
    Buffer.from(key.address.slice(2), 'hex'),
  ]);
  const lane = createLane({
    signer: createLaneSigner({
      signer: options.signer ?? {
        signDigest: async (_index: number, digest: Hex) => signDigestWithKey(key.privateKey, digest),
      },
      index: 0,
      address: key.address,
      onFault: (_lane, fault) => void signerFaults.push(fault),
      logger: silent,
      now,
    }),
    grant: createLaneGrant({
      ...{ rpc, contract, operator, lane: key.address, logger: silent, now },
      maxAgeMs: 200,
      onLooked: () => {},
    }),
    age: { passed: async () => {}, lookAt: async () => {}, isBehind: () => false },
    holder: 'running',
    settings: {
      leaseMs: 5_000,
      lingerMs: 1,
      maxInFlight: options.maxInFlight ?? 16,
      rebroadcastMs: options.rebroadcastMs ?? 200,
      fundsPollMs: 200,
    },
    signing: { database, chainId, contract, operator, maxItems: options.maxItems ?? 3_000, tracing: noTracing },
    limits,
    rpc,
    fees: createFeeSource({
      rpc,
      capPerGas: options.capPerGas ?? 10n ** 15n,
      maxTipPerGas: 10n ** 9n,
      maxAgeMs: 20,
      now,
    }),
    funds: createLaneFunds({
      rpc,
      database,
      lane: key.address,
      reserveWei: options.reserveWei ?? 10n ** 16n,
      maxAgeMs: 200,
      onBalance: (_lane: Hex, _wei: bigint, low: boolean) => void balances.push(low),
      logger: silent,
      now,
    }),
    shares: options.shares ?? fixture.shares,
    broadcaster: createBroadcaster({
      database,
      rpc,
      logger: silent,
      replaceAfterMs: options.replaceAfterMs ?? 600_000,
      now,
      maxGas: async () => (await limits()).gas,
      onFault: () => {},
      onReplaced: () => {},
      settleUsed: createNonceSettling({
        database,
        rpc,
        chainId,
        logger: silent,
        isGranted: async (lane) => (await operatorOfLane(rpc, contract, lane)) === operator,
        settle: async (batchId, receipt) => void (await settleBatch(facts, batchId, receipt)),
        hasGrant: (batchId) => hasGrant({ database, rpc, contract, operator }, batchId),
        supersede: async (batchId, finalBlock) =>
          (await supersedeBatch(database, batchId, { chainId, finalBlock }))?.stamps,
      }),
    }),
    onSigned: (batch) => void signed.push(batch),
    onBroadcast: () => {},
    onReleased: () => {},
    logger: silent,
  });
  await lane.start();

  const blocks = (async () => {
    while (mining) {
      if (baseFee !== undefined) await anvil.request('anvil_setNextBlockBaseFeePerGas', [`0x${baseFee.toString(16)}`]);
      await anvil.mine(1);
      await fixture.readChain();
      await fixture.finalize();
      lane.wake('waiting');
      await delay(50);
    }
  })();

  return {
    signed,
    balances,
    signerFaults,
    ready: () => lane.ready?.(),
    wake: lane.wake,
    /** For blocks from now on. */
    setBaseFee(wei: bigint): void {
      baseFee = wei;
    },
    async stop(): Promise<void> {
      await lane.stop();
      mining = false;
      await blocks;
    },
  };
}
