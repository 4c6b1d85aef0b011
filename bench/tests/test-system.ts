import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStack } from '@indelible/launcher';
import { testAnvil, testDatabase, testKafka, testRedis } from '@indelible/testing';
import type { System } from '../src/system/start-system.ts';

/** A system on the servers of the tests, which are there already. */
export async function startTestSystem(): Promise<System> {
  const directory = await mkdtemp(join(tmpdir(), 'indelible-bench-'));
  const [database, anvil] = await Promise.all([testDatabase(), testAnvil({ blockTimeSeconds: 1 })]);
  const kafka = testKafka();
  const redis = testRedis();
  const log: string[] = [];
  const undo = async (): Promise<void> => {
    await Promise.all([database.drop(), kafka.dispose(), redis.dispose(), anvil.stop()]);
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const stack = await startStack({
      addresses: {
        databaseUrl: database.url,
        kafkaBrokers: kafka.brokers.join(','),
        schemaRegistryUrl: kafka.schemaRegistryUrl,
        redisUrl: redis.url,
        rpcUrl: anvil.rpcUrl,
      },
      dataDir: join(directory, 'data'),
      secretsDir: join(directory, 'secrets'),
      topicPrefix: kafka.prefix,
      ports: 'any',
      onStep: () => {},
      onLine: (service, line) => void log.push(`${service} ${line}`),
      signal: new AbortController().signal,
    });
    return {
      connection: stack.connection,
      services: stack.services,
      startReplica: stack.startReplica,
      secretsDirectory: join(directory, 'secrets'),
      blobDirectory: stack.connection.blobDirectory,
      servers: [{ name: 'anvil', pid: anvil.pid }],
      kafkaDirectory: undefined,
      topicPrefix: kafka.prefix,
      log: () => log.slice(-40),
      async stop() {
        await stack.stop();
        await undo();
      },
    };
  } catch (error) {
    await undo();
    throw new Error(`the stack did not start; its log ends with\n${log.slice(-40).join('\n')}`, { cause: error });
  }
}
