import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Stack, startStack } from '@indelible/launcher';
import { testAnvil, testDatabase, testKafka, testRedis } from '@indelible/testing';
import { createClient } from './client.ts';
import { startRpcProxy } from './rpc-proxy.ts';

/** Every service as its own process on real servers, with a chain that makes a block a second. */
export type RunningStack = Awaited<ReturnType<typeof startRunningStack>>;

export async function startRunningStack(
  options: {
    /** Hex; a random one when not given. */
    readonly operatorSeed?: string;
    /** Over the settings of stamping, and of the gateway. */
    readonly stamping?: Readonly<Record<string, string>>;
    readonly gateway?: Readonly<Record<string, string>>;
    /** Settings of every service. */
    readonly common?: Readonly<Record<string, string>>;
  } = {},
) {
  const directory = await mkdtemp(join(tmpdir(), 'indelible-e2e-'));
  const [database, anvil] = await Promise.all([testDatabase(), testAnvil({ blockTimeSeconds: 1 })]);
  const kafka = testKafka();
  const redis = testRedis();
  const proxy = await startRpcProxy(anvil.rpcUrl);
  const log: string[] = [];
  const secretsDir = join(directory, 'secrets');
  if (options.operatorSeed !== undefined) {
    await mkdir(secretsDir, { mode: 0o700 });
    await writeFile(join(secretsDir, 'operator.seed'), options.operatorSeed, { mode: 0o600 });
  }
  let stack: Stack;
  try {
    stack = await startStack({
      addresses: {
        databaseUrl: database.url,
        kafkaBrokers: kafka.brokers.join(','),
        schemaRegistryUrl: kafka.schemaRegistryUrl,
        redisUrl: redis.url,
        rpcUrl: anvil.rpcUrl,
      },
      dataDir: join(directory, 'data'),
      secretsDir,
      topicPrefix: kafka.prefix,
      ports: 'any',
      common: options.common ?? {},
      environment: {
        stamping: { RPC_URL: proxy.url, REBROADCAST_MS: '1000', ...options.stamping },
        gateway: options.gateway ?? {},
      },
      onStep: () => {},
      onLine: (service, line) => void log.push(`${service} ${line}`),
      signal: new AbortController().signal,
    });
  } catch (error) {
    throw new Error(`the stack did not start; its log ends with\n${log.slice(-40).join('\n')}`, { cause: error });
  }
  const { connection } = stack;
  return {
    stack,
    anvil,
    proxy,
    connection,
    log,
    client: createClient(connection.rootUrl, connection.apiKey),
    blobDirectory: join(directory, 'data', 'blobs'),
    async stop() {
      await stack.stop();
      await proxy.stop();
      await Promise.all([database.drop(), kafka.dispose(), redis.dispose(), anvil.stop()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}
