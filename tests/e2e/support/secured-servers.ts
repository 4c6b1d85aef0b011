import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Stack, StackOptions } from '@indelible/launcher';
import { testAnvil, testDatabase, testKafka, testRedis } from '@indelible/testing';
import { startServices } from '../../support/test-stack.ts';
import { loopbackCertificate } from './certificate.ts';
import { startSecuredKafka } from './secured-kafka.ts';

export type SecuredServers = Awaited<ReturnType<typeof startSecuredServers>>;

/** Servers for services at a broker with TLS and SASL: what is provisioned goes past its security, the services have to go by it. */
export async function startSecuredServers(
  name: string,
  options: { readonly authorized?: Readonly<Record<string, string>> } = {},
) {
  const directory = await mkdtemp(join(tmpdir(), `indelible-${name}-`));
  const undo: (() => Promise<unknown>)[] = [() => rm(directory, { recursive: true, force: true })];
  const certificate = await loopbackCertificate();
  const ca = join(directory, 'ca.pem');
  await writeFile(ca, certificate.cert);
  const [database, anvil, kafka] = await Promise.all([
    testDatabase(),
    testAnvil({ blockTimeSeconds: 1 }),
    startSecuredKafka(certificate, options),
  ]);
  const [redis, registry] = [testRedis(), testKafka()];
  undo.unshift(database.drop, anvil.stop, kafka.stop, redis.dispose);
  const log: string[] = [];
  return {
    directory,
    certificate,
    /** The file of the authority. */
    ca,
    databaseUrl: database.url,
    redisUrl: redis.url,
    kafka,
    schemaRegistryUrl: registry.schemaRegistryUrl,
    topicPrefix: registry.prefix,
    log,
    /** Stops something before the servers. */
    beforeStop: (step: () => Promise<unknown>) => void undo.unshift(step),
    async startStack(environment: StackOptions['environment'] & object): Promise<Stack> {
      const addresses = {
        databaseUrl: database.url,
        kafkaBrokers: kafka.plain,
        schemaRegistryUrl: registry.schemaRegistryUrl,
        redisUrl: redis.url,
        rpcUrl: anvil.rpcUrl,
      };
      const place = { directory, addresses, topicPrefix: registry.prefix };
      const stack = await startServices(place, {
        environment,
        onLine: (service, line) => void log.push(`${service} ${line}`),
      });
      undo.unshift(stack.stop);
      return stack;
    },
    async stop(): Promise<void> {
      for (const step of undo) await step();
    },
  };
}
