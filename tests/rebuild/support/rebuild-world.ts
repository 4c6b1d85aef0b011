import { type ChildProcess, spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { commitmentServiceBytecode, functionSelectors } from '@indelible/commitment-contract';
import { eventually, type TestAnvil, testAnvil, testDatabase, testKafka } from '@indelible/testing';
import { createMessageBus } from '../../../packages/kafka/src/index.ts';
import { createKafkaClient } from '../../../packages/kafka/src/kafka-client.ts';
import { createLogger } from '../../../packages/service-runtime/src/index.ts';

type Hex = `0x${string}`;
const root = resolve(import.meta.dirname, '../../..');
/** Two of the accounts anvil signs for. */
export const alice: Hex = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
export const bob: Hex = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';

export type RebuildWorld = Awaited<ReturnType<typeof startRebuildWorld>>;

/** A chain that mines by hand, the chain-indexer and verification as processes of their own, and `indelible rebuild`. */
export async function startRebuildWorld() {
  const [database, anvil] = await Promise.all([testDatabase(), testAnvil({ automine: false })]);
  const kafka = testKafka();
  const contract = await createContract(anvil);
  const logger = createLogger({ service: 'test', level: 'silent' });
  const bus = createMessageBus({
    brokers: kafka.brokers,
    schemaRegistryUrl: kafka.schemaRegistryUrl,
    clientId: 'test',
    source: 'indelible/test',
    topicPrefix: kafka.prefix,
    logger,
  });
  await bus.provision();
  const environment = {
    DATABASE_URL: database.url,
    KAFKA_BROKERS: kafka.brokers.join(','),
    SCHEMA_REGISTRY_URL: kafka.schemaRegistryUrl,
    TOPIC_PREFIX: kafka.prefix,
    RPC_URL: anvil.rpcUrl,
    CHAIN_ID: String(anvil.chainId),
    CONTRACT_ADDRESS: contract,
  };
  const run = (script: string, words: readonly string[], more: Readonly<Record<string, string>> = {}): ChildProcess =>
    spawn(process.execPath, [join(root, script), ...words], {
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...environment, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    });

  const services: ChildProcess[] = [];
  for (const service of ['chain-indexer', 'verification']) {
    await ended(run(`services/${service}/src/migrate.ts`, []));
    const settings = {
      INTERNAL_PORT: '0',
      FINALITY: 'depth',
      FINALITY_DEPTH: '4',
      POLL_INTERVAL_MS: '50',
      BEHIND_GRACE_MS: '200',
      LOG_LEVEL: 'error',
    };
    const child = run(`services/${service}/src/main.ts`, [], settings);
    child.stdout?.resume();
    child.stderr?.resume();
    services.push(child);
  }

  const send = (from: Hex, data: Hex): Promise<Hex> =>
    anvil.request('eth_sendTransaction', [{ from, to: contract, data, gas: '0x1000000' }]);
  return {
    anvil,
    kafka,
    pool: database.pool,
    addSet: (from: Hex, set: Hex) => send(from, call('addSet', word(set))),
    addObject: (from: Hex, object: Hex) => send(from, call('addObject', word(object))),
    addSetObjects: (from: Hex, set: Hex, objects: readonly Hex[]) =>
      send(from, call('addSetObjectsBatch', word(set), word('0x40'), word(cid(objects.length)), ...objects.map(word))),

    /** What the read model holds, once it stands on the chain's head. */
    async grown() {
      const head = await anvil.request<{ hash: Hex }>('eth_getBlockByNumber', ['latest', false]);
      await eventually(
        async () => {
          const { rows } = await database.pool.query(
            "select '0x' || encode(hash, 'hex') as hash from verification.cursors",
          );
          if (rows[0]?.hash !== head.hash) throw new Error('the read model is not at the head');
        },
        { timeoutMs: 60_000 },
      );
      return this.everything();
    },

    everything: async () => ({
      commitments: (
        await database.pool.query('select * from verification.commitments order by chain_id, block_number, log_index')
      ).rows,
      cursors: (await database.pool.query('select * from verification.cursors')).rows,
    }),

    schemas: async () =>
      (
        await database.pool.query("select nspname from pg_namespace where nspname like 'verification%' order by 1")
      ).rows.map(({ nspname }) => nspname),

    /** The topic's messages are gone; its offsets go on. */
    async loseChainTopic() {
      const patience = { connectionTimeoutMs: 3_000, requestTimeoutMs: 10_000, retries: 3 };
      const admin = createKafkaClient({ clientId: 'test', brokers: kafka.brokers, logger }, patience).admin();
      await admin.connect();
      try {
        const topic = kafka.name('events.chain');
        const partitions = (await admin.fetchTopicOffsets(topic))
          .filter(({ high, low }) => high !== low)
          .map(({ partition, high }) => ({ partition, offset: high }));
        await admin.deleteTopicRecords({ topic, partitions });
      } finally {
        await admin.disconnect();
      }
    },

    /** Runs `indelible rebuild` to its end. */
    rebuild: (...words: string[]) => ended(run('packages/cli/src/main.ts', ['rebuild', ...words])),
    /** Starts what that runs, to be killed. */
    startRebuild: (...words: string[]) => run('services/verification/src/rebuild.ts', words),

    async stop() {
      for (const child of services) child.kill('SIGTERM');
      await Promise.all(services.map(exited));
      await Promise.all([database.drop(), kafka.dispose(), anvil.stop()]);
    },
  };
}

export const cid = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`;
const word = (value: Hex): string => value.slice(2).padStart(64, '0');
const call = (name: keyof typeof functionSelectors, ...words: readonly string[]): Hex =>
  `0x${functionSelectors[name].slice(2)}${words.join('')}`;

async function createContract(chain: TestAnvil): Promise<Hex> {
  await chain.request('evm_setBlockGasLimit', ['0x20000000']);
  const creation = await chain.request('eth_sendTransaction', [
    { from: alice, data: commitmentServiceBytecode, gas: '0x1000000' },
  ]);
  await chain.mine();
  const receipt = await chain.request<{ contractAddress: Hex }>('eth_getTransactionReceipt', [creation]);
  return receipt.contractAddress.toLowerCase() as Hex;
}

export const exited = (child: ChildProcess): Promise<number | null> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve(child.exitCode)
    : new Promise((settle) => void child.once('exit', settle));

async function ended(child: ChildProcess) {
  if (child.stdout === null || child.stderr === null) throw new Error('no pipes');
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), exited(child)]);
  return { code, out, err };
}
