import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startStack } from '@indelible/launcher';
import { flushRedis, rpcFaultProxy, testAnvil, testDatabase, testKafka, testRedis } from '@indelible/testing';
import { startFailingServer } from '../../outages/support/failing-server.ts';
import { openTenant } from './tenants.ts';

/** Every line that the services wrote in the last run. */
const logPath = join(import.meta.dirname, '../../../.local/test/chaos.log');

/** The last of what the services warned of: what there is to go by where only this output is left of a run. */
export async function lastWarnings(count: number): Promise<string> {
  const lines = (await readFile(logPath, 'utf8')).split('\n');
  return lines
    .filter((line) => /"level":"?(40|50|60|warn|error|fatal)/.test(line))
    .slice(-count)
    .join('\n');
}

/** All services as processes on real servers; stamping and the indexer reach the chain through proxies that misbehave. */
export type World = Awaited<ReturnType<typeof startWorld>>;

export async function startWorld() {
  await mkdir(dirname(logPath), { recursive: true });
  const directory = await mkdtemp(join(tmpdir(), 'indelible-chaos-'));
  const [database, anvil] = await Promise.all([testDatabase(), testAnvil({ blockTimeSeconds: 1 })]);
  // A broker of its own, since it is killed; the registry is shared.
  const kafka = await startFailingServer('kafka', directory, new Set());
  const { schemaRegistryUrl, prefix } = testKafka();
  const redis = testRedis();
  const nodes = {
    stamping: await rpcFaultProxy({ upstream: anvil.rpcUrl }),
    'chain-indexer': await rpcFaultProxy({ upstream: anvil.rpcUrl }),
  };
  const log = createWriteStream(logPath);
  const stack = await startStack({
    addresses: {
      databaseUrl: database.url,
      kafkaBrokers: kafka.address,
      schemaRegistryUrl,
      redisUrl: redis.url,
      rpcUrl: anvil.rpcUrl,
    },
    dataDir: join(directory, 'data'),
    secretsDir: join(directory, 'secrets'),
    topicPrefix: prefix,
    ports: 'any',
    environment: {
      stamping: {
        RPC_URL: nodes.stamping.url,
        REBROADCAST_MS: '1000',
        REPLACE_AFTER_MS: '4000',
        MAX_BATCH_ITEMS: '20',
      },
      'chain-indexer': {
        RPC_URL: nodes['chain-indexer'].url,
        RPC_WS_URL: anvil.wsUrl,
        BEHIND_GRACE_MS: '1000',
        RPC_TIMEOUT_MS: '2000',
        // Deeper than any reorg, and near enough that blocks become final all the time.
        ...{ FINALITY: 'depth', FINALITY_DEPTH: '12', FINALITY_STRIDE: '4' },
      },
    },
    onStep: () => {},
    onLine: (service, line) => void log.write(`${service} ${line}\n`),
    signal: new AbortController().signal,
  });
  const { connection } = stack;
  const first = { address: connection.userAddress, apiKey: connection.apiKey };
  const second = await openTenant(connection, join(directory, 'secrets'), 'Bob');
  return {
    stack,
    kafka,
    tenants: [first, second],
    anvil,
    nodes,
    connection,
    topicPrefix: prefix,
    pool: database.pool,
    blobDirectory: join(directory, 'data', 'blobs'),
    forgetRedis: () => flushRedis(redis.url),
    async stop() {
      await stack.stop();
      await Promise.all(Object.values(nodes).map((node) => node.stop()));
      await Promise.all([database.drop(), kafka.stop(), redis.dispose(), anvil.stop()]);
      await rm(directory, { recursive: true, force: true });
      await new Promise((closed) => log.end(closed));
    },
  };
}

/** Empties Redis as an operator might by mistake. */
