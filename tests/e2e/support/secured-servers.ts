import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Stack, StackOptions } from '@indelible/launcher';
import { provideStackServers, startServices } from '../../support/test-stack.ts';
import { loopbackCertificate } from './certificate.ts';
import { startSecuredKafka } from './secured-kafka.ts';

export type SecuredServers = Awaited<ReturnType<typeof startSecuredServers>>;

/** Servers for services at a broker with TLS and SASL: provisioning bypasses its security, services must use it. */
export async function startSecuredServers(
  name: string,
  options: { readonly authorized?: Readonly<Record<string, string>> } = {},
) {
  const certificate = await loopbackCertificate();
  const [servers, kafka] = await Promise.all([provideStackServers(name), startSecuredKafka(certificate, options)]);
  servers.keep(kafka);
  const ca = join(servers.directory, 'ca.pem');
  await writeFile(ca, certificate.cert);
  const addresses = { ...servers.addresses, kafkaBrokers: kafka.plain };
  const log: string[] = [];
  return {
    directory: servers.directory,
    certificate,
    /** The file of the authority. */
    ca,
    databaseUrl: addresses.databaseUrl,
    redisUrl: addresses.redisUrl,
    kafka,
    schemaRegistryUrl: addresses.schemaRegistryUrl,
    topicPrefix: servers.topicPrefix,
    log,
    /** Stops something before the servers. */
    beforeStop: (step: () => Promise<unknown>) => void servers.keep({ stop: step }),
    startStack: async (environment: StackOptions['environment'] & object): Promise<Stack> =>
      servers.keep(
        await startServices(
          { ...servers, addresses },
          { environment, onLine: (service, line) => void log.push(`${service} ${line}`) },
        ),
      ),
    stop: () => servers.release(),
  };
}
