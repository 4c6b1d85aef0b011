import { randomUUID } from 'node:crypto';
import { ensureContract, setLocalBalance } from '@indelible/cli/provisioning';
import { effectOfLog, grantTypedData, transactionLimits } from '@indelible/commitment-contract';
import {
  type ConfirmationDepth,
  createRpc,
  estimateFees,
  getBalance,
  getBlockByNumber,
  getLogsByBlockHash,
  type Rpc,
  sendRawTransaction,
} from '@indelible/ethereum';
import {
  createOperatorKeys,
  createSeedCustody,
  type OperatorKey,
  signDigestWithKey,
} from '@indelible/ethereum/custody';
import { type Hex, hexOfBytes } from '@indelible/identifiers';
import { type IncomingMessage, isMessage } from '@indelible/kafka';
import type { AddressedReply } from '@indelible/messages';
import {
  AccountOpened,
  BlockAppended,
  BlocksFinalized,
  BlocksReverted,
  type ChainLog,
  CreateCollection,
  RequestStamp,
  unknownHash,
} from '@indelible/messages';
import { createDatabase, type Database } from '@indelible/postgres';
import { createLogger, noTracing } from '@indelible/service-runtime';
import { migratedTemplate, recordedEvents, testAnvil, testDatabase } from '@indelible/testing';
import { handleAccountsOpened } from '../../src/accounts/handle-account-opened.ts';
import { createBroadcaster, type Replace } from '../../src/batching/broadcaster.ts';
import { createFundsShares, type FundsShares } from '../../src/batching/funds-shares.ts';
import { operatorOfLane } from '../../src/batching/lane-grant.ts';
import { type HeldLane, type LaneLease, takeLease } from '../../src/batching/lane-lease.ts';
import { storeReplacement } from '../../src/batching/replace-batch.ts';
import { settleBatch } from '../../src/batching/settle-batch.ts';
import { hasGrant } from '../../src/batching/settle-grant.ts';
import { settleUnserved } from '../../src/batching/settle-unserved.ts';
import { createNonceSettling, type SettleUsed } from '../../src/batching/settle-used.ts';
import { type SignedBatch, signNextBatch } from '../../src/batching/sign-batch.ts';
import { supersedeBatch } from '../../src/batching/supersede-batch.ts';
import type { ChainOutcome } from '../../src/confirming/chain-outcome.ts';
import { handleChainFacts } from '../../src/confirming/handle-chain-facts.ts';
import { migrateStamping, migrations } from '../../src/migrate.ts';
import { handleCollectionRequests } from '../../src/requests/handle-collection-requests.ts';
import { handleStampRequests } from '../../src/requests/handle-stamp-requests.ts';
import { createIntake } from '../../src/requests/intake.ts';
import { schema } from '../../src/schema.ts';
import { incoming } from './messages.ts';

/** Stamping on a real Postgres and a real chain, without Kafka: messages are handed to the use cases directly. */
export type Fixture = Awaited<ReturnType<typeof createFixture>>;

export async function createFixture(
  options: { confirmation?: ConfirmationDepth; maxWaiting?: number; now?: () => number } = {},
) {
  const silent = createLogger({ service: 'test', level: 'silent' });
  const confirmation = options.confirmation ?? 1;
  const template = migratedTemplate(schema, migrations, migrateStamping);
  const [stored, anvil] = await Promise.all([testDatabase({ template }), testAnvil()]);
  const database: Database = createDatabase({ url: stored.url, schema, applicationName: 'test', logger: silent });
  const rpc = createRpc({ urls: [anvil.rpcUrl], timeoutMs: 10_000 });
  const keys = createOperatorKeys({ seed: new Uint8Array(32).fill(7) });
  const custody = createSeedCustody({ seed: new Uint8Array(32).fill(9) });
  const lanes = [keys.lane(0), keys.lane(1)].map(withSigner);
  for (const key of [keys.operator, ...lanes]) await setLocalBalance(rpc, key.address, 10n ** 24n);
  const { address: contract } = await ensureContract({ rpc, operator: keys.operator, lanes });
  await anvil.request('evm_setAutomine', [false]);

  const chainId = anvil.chainId;
  const operator = keys.operator.address;
  const facts = { database, chainId, operator, contract, confirmation, tracing: noTracing };
  const looks = createFundsShares({
    ...{ database, hours: 24, logger: silent, now: () => 0 },
    maxAgeMs: Number.POSITIVE_INFINITY,
  });
  /** As they are now: a test looks before it takes the answer. */
  const shares: FundsShares = { over: () => looks.look().then(looks.over) };
  const maxWaiting = options.maxWaiting ?? 200_000;
  const intake = createIntake({ database, maxWaiting, shares, maxAgeMs: 0, now: () => 0 });
  const now = options.now ?? Date.now;
  let readUpTo = -1;
  let readHash: Hex = unknownHash;
  const leases = new Map<Hex, LaneLease>();

  async function blockMessage(number: number): Promise<IncomingMessage<typeof BlockAppended>> {
    const header = await getBlockByNumber(rpc, number);
    if (header === null) throw new Error(`no block ${number}`);
    const logs = await getLogsByBlockHash(rpc, header.hash, contract);
    return incoming(BlockAppended, {
      chainId,
      number,
      hash: header.hash,
      parentHash: header.parentHash,
      time: header.timestamp,
      part: 1,
      parts: 1,
      logs: logs.map(effectOfLog).filter((log): log is ChainLog => typeof log === 'object'),
    });
  }

  /** Reads the blocks that stamping has not seen, as the indexer would. */
  async function readChain(): Promise<ChainOutcome> {
    const head = Number(await anvil.request('eth_blockNumber', []));
    const messages: IncomingMessage[] = [];
    for (let number = readUpTo + 1; number <= head; number++) messages.push(await blockMessage(number));
    readUpTo = head;
    readHash = messages.findLast((message) => isMessage(message, BlockAppended))?.data.hash ?? readHash;
    return handleChainFacts(facts, messages);
  }

  async function leaseOf(lane: { address: Hex }): Promise<LaneLease> {
    const held = leases.get(lane.address);
    if (held !== undefined) return held;
    const lease = await takeLease(database, {
      lane: lane.address,
      chainId,
      holder: 'test',
      leaseMs: 600_000,
      firstNonce: 0,
    });
    if (lease === undefined) throw new Error('the lane is held');
    leases.set(lane.address, lease);
    return lease;
  }

  const holdLane = async (lane: (typeof lanes)[number]): Promise<HeldLane> => ({
    ...(await leaseOf(lane)),
    sign: lane.sign,
  });

  const signing = {
    ...{ database, chainId, contract, operator, maxItems: 3_000 },
    limits: transactionLimits,
    leftOut: [],
    tracing: noTracing,
  };
  const sign = async (lane = lanes[0]!): Promise<SignedBatch | undefined> =>
    signNextBatch({ ...signing, leftOut: await shares.over() }, await holdLane(lane), await estimateFees(rpc));

  const settlingBy = (asked: Rpc, replies: AddressedReply[]): SettleUsed =>
    createNonceSettling({
      database,
      rpc: asked,
      chainId,
      logger: silent,
      isGranted: async (address) => (await operatorOfLane(asked, contract, address)) === operator,
      settle: async (batchId, receipt) => void replies.push(...(await settleBatch(facts, batchId, receipt))),
      hasGrant: (batchId) => hasGrant({ database, rpc: asked, contract, operator }, batchId),
      supersede: async (batchId, finalBlock) => {
        const superseded = await supersedeBatch(database, batchId, { chainId, finalBlock });
        replies.push(...(superseded?.replies ?? []));
        return superseded?.stamps;
      },
    });

  /** A round of the lane's broadcaster: broadcasts stored transactions again, replaces due ones. */
  async function tend(
    round: { rpc?: Rpc; replaceAfterMs?: number; capPerGas?: bigint; maxGas?: number; balanceWei?: bigint } = {},
    lane = lanes[0]!,
  ) {
    const lease = await holdLane(lane);
    const faults: string[] = [];
    const replies: AddressedReply[] = [];
    let replaced = 0;
    const asked = round.rpc ?? rpc;
    const broadcaster = createBroadcaster({
      database,
      rpc: asked,
      logger: silent,
      replaceAfterMs: round.replaceAfterMs ?? 600_000,
      now: () => performance.now(),
      maxGas: async () => round.maxGas ?? transactionLimits.gas,
      onFault: (fault) => void faults.push(fault),
      onReplaced: () => void replaced++,
      settleUsed: settlingBy(asked, replies),
    });
    const replace: Replace = async (batchId, change) =>
      storeReplacement(database, lease, { batchId, chainId }, change, {
        market: await estimateFees(rpc),
        capPerGas: round.capPerGas ?? 10n ** 15n,
        balanceWei: round.balanceWei ?? (await getBalance(rpc, lane.address)),
      });
    let outcome: 'paid' | 'funds-missing' = 'paid';
    for (let from: number | undefined = 0; from !== undefined; ) {
      const part = await broadcaster.rebroadcast(lane.address, from, replace, new AbortController().signal);
      outcome = part.funds;
      from = part.next;
    }
    return { outcome, faults, replaced, replies };
  }

  return {
    database,
    databaseUrl: stored.url,
    pool: stored.pool,
    anvil,
    rpc,
    contract,
    chainId,
    operator,
    lanes,
    facts,
    intake,
    shares,
    signing,
    sign,
    leaseOf,
    holdLane,
    /** The operator's own key, which no lane needs. */
    operatorKey: keys.operator,
    tend,
    /** How the service handles a lane without a key. */
    settleUnserved: (lane: Hex) =>
      settleUnserved(
        { database, rpc, settleUsed: settlingBy(rpc, []), logger: silent },
        lane,
        new AbortController().signal,
      ),
    readChain,
    blockMessage,
    request: (...requests: RequestStamp[]) =>
      handleStampRequests(
        { database, chainId, now, intake },
        requests.map((data) => incoming(RequestStamp, data)),
      ),
    requestCollections: (...requests: CreateCollection[]) =>
      handleCollectionRequests(
        { database, intake },
        requests.map((data) => incoming(CreateCollection, data)),
      ),
    broadcast: (batch: SignedBatch | undefined) =>
      sendRawTransaction(rpc, (batch as SignedBatch).transaction.rawTransaction),
    /** Signs, broadcasts and mines whatever waits, and reads the block. */
    async settle(): Promise<ChainOutcome> {
      for (let batch = await sign(); batch !== undefined; batch = await sign())
        await sendRawTransaction(rpc, batch.transaction.rawTransaction);
      await anvil.mine(1);
      return readChain();
    },
    /** Gives stamping an account with a signed grant, without putting the grant on chain. */
    async openAccount(index: number): Promise<Hex> {
      const account = await custody.address(index);
      const typed = grantTypedData({ chainId, contract }, { delegate: operator, nonce: 0n });
      const signature = await custody.signTypedData(index, typed);
      const grant = { delegate: operator, nonce: 0, signature, chainId, contract };
      const data = { account, persistentId: randomUUID(), grant, openedAt: new Date().toISOString() };
      await handleAccountsOpened(facts, [incoming(AccountOpened, data)]);
      return account;
    },
    /** What an indexer publishes of a reorg: everything above `ancestor` is reverted. */
    async revertTo(ancestor: number, revertedHead = { number: readUpTo, hash: readHash }): Promise<ChainOutcome> {
      const header = await getBlockByNumber(rpc, ancestor);
      if (header === null) throw new Error(`no block ${ancestor}`);
      const message = incoming(BlocksReverted, {
        chainId,
        ancestor: { number: ancestor, hash: header.hash },
        revertedHead,
      });
      readUpTo = ancestor;
      readHash = header.hash;
      return handleChainFacts(facts, [message]);
    },
    /** The indexer publishes that the block, the newest that was read when none is given, is final. */
    async finalize(number = readUpTo): Promise<ChainOutcome> {
      const header = await getBlockByNumber(rpc, number);
      if (header === null) throw new Error(`no block ${number}`);
      return handleChainFacts(facts, [
        incoming(BlocksFinalized, { chainId, number: header.number, hash: header.hash }),
      ]);
    },
    async events(type: string): Promise<{ stream: string; version: number; data: Record<string, unknown> }[]> {
      const events = await recordedEvents(stored.pool, schema);
      return events
        .filter((event) => event.type === type)
        .map(({ stream, version, data }) => ({ stream, version, data }));
    },
    async rows(sql: string, parameters: unknown[] = []): Promise<Record<string, unknown>[]> {
      return (await database.query(sql, parameters)).rows as Record<string, unknown>[];
    },
    async dispose(): Promise<void> {
      rpc.close();
      await database.close();
      await Promise.all([stored.drop(), anvil.stop()]);
    },
  };
}

/** A key with what signs by it, as a lane has it. */
const withSigner = (key: OperatorKey) => ({
  ...key,
  sign: async (digest: Hex): Promise<Hex> => signDigestWithKey(key.privateKey, digest),
});

export const hexOf = (value: unknown): Hex => hexOfBytes(value as Buffer);
