import { createWriteStream } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { flushRedis, rpcFaultProxy } from '@indelible/testing';
import { startFailingServer } from '../../outages/support/failing-server.ts';
import { provideStackServers, startServices } from '../../support/test-stack.ts';
import { openTenant } from './tenants.ts';

/** Every line that the services wrote in the last run. */
const logPath = join(import.meta.dirname, '../../../.local/test/chaos.log');

/** The services' last warnings: the only evidence where just this output is left of a run. */
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
  const shared = await provideStackServers('chaos');
  const { anvil, database, directory, keep } = shared;
  // A broker of its own, since it is killed; the registry is shared.
  const kafka = keep(await startFailingServer('kafka', directory));
  const nodes = {
    stamping: keep(await rpcFaultProxy({ upstream: anvil.rpcUrl })),
    'chain-indexer': keep(await rpcFaultProxy({ upstream: anvil.rpcUrl })),
  };
  const log = createWriteStream(logPath);
  const servers = { ...shared, addresses: { ...shared.addresses, kafkaBrokers: kafka.address } };
  const stack = await startServices(servers, {
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
    onLine: (service, line) => void log.write(`${service} ${line}\n`),
  });
  const { connection } = stack;
  const first = { address: connection.userAddress, apiKey: connection.apiKey };
  const second = await openTenant(connection, shared.secretsDirectory, 'Bob');
  return {
    stack,
    kafka,
    tenants: [first, second],
    anvil,
    nodes,
    connection,
    topicPrefix: shared.topicPrefix,
    pool: database.pool,
    blobDirectory: connection.blobDirectory,
    forgetRedis: () => flushRedis(shared.redis.url),
    async stop() {
      await stack.stop();
      await shared.release();
      await new Promise((closed) => log.end(closed));
    },
  };
}

/** Empties Redis as an operator might by mistake. */
