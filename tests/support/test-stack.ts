import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Stack, type StackOptions, startStack } from '@indelible/launcher';
import { testAnvil, testDatabase, testKafka, testRedis } from '@indelible/testing';

/** What services run on, of one test file's own: parts of the shared servers, a chain with a block a second, and a folder. */
export type StackServers = Awaited<ReturnType<typeof provideStackServers>>;

/** @param name of the folder */
export async function provideStackServers(name: string) {
  const directory = await mkdtemp(join(tmpdir(), `indelible-${name}-`));
  const [database, anvil] = await Promise.all([testDatabase(), testAnvil({ blockTimeSeconds: 1 })]);
  const kafka = testKafka();
  const redis = testRedis();
  const kept: { stop(): Promise<unknown> }[] = [];
  return {
    directory,
    secretsDirectory: join(directory, 'secrets'),
    database,
    anvil,
    kafka,
    redis,
    topicPrefix: kafka.prefix,
    addresses: {
      databaseUrl: database.url,
      kafkaBrokers: kafka.brokers.join(','),
      schemaRegistryUrl: kafka.schemaRegistryUrl,
      redisUrl: redis.url,
      rpcUrl: anvil.rpcUrl,
    },
    /** Has something else stopped by `release`, before the servers; what came last goes first. */
    keep<Part extends { stop(): Promise<unknown> }>(part: Part): Part {
      kept.unshift(part);
      return part;
    },
    async release(): Promise<void> {
      for (const part of kept) await part.stop();
      await Promise.all([database.drop(), kafka.dispose(), redis.dispose(), anvil.stop()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export type ServiceOptions = Pick<StackOptions, 'common' | 'environment'>;

/** Every service as a process of its own. @throws Error with the end of their log; the servers are left to the caller. */
export async function startServices(
  servers: Pick<StackServers, 'directory' | 'addresses' | 'topicPrefix'>,
  options: ServiceOptions & Pick<StackOptions, 'onLine'>,
): Promise<Stack> {
  const last: string[] = [];
  return startStack({
    ...options,
    addresses: servers.addresses,
    dataDir: join(servers.directory, 'data'),
    secretsDir: join(servers.directory, 'secrets'),
    topicPrefix: servers.topicPrefix,
    ports: 'any',
    onStep: () => {},
    onLine: (service, line) => {
      if (last.push(`${service} ${line}`) > 40) last.shift();
      options.onLine(service, line);
    },
    signal: new AbortController().signal,
  }).catch((error: unknown) => {
    throw new Error(`the stack did not start; its log ends with\n${last.join('\n')}`, { cause: error });
  });
}

/** Every service on the servers, which are released with the stack, or at once when it does not start. */
export async function startTestStack(servers: StackServers, options: ServiceOptions = {}) {
  const log: string[] = [];
  const stack = await startServices(servers, {
    ...options,
    onLine: (service, line) => void log.push(`${service} ${line}`),
  }).catch(async (error: unknown) => {
    await servers.release();
    throw error;
  });
  return {
    ...servers,
    stack,
    connection: stack.connection,
    pool: servers.database.pool,
    /** Of all services: the service, then what it wrote. */
    log,
    async stop(): Promise<void> {
      await stack.stop();
      await servers.release();
    },
  };
}
