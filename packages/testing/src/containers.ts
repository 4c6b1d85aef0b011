import { randomBytes } from 'node:crypto';
import { anyFreePort, choosePorts, composeAddresses, composeVariables, isPortFree } from '@indelible/launcher/servers';
import { DockerComposeEnvironment, Wait } from 'testcontainers';
import { WORKSPACE } from './environment.ts';
import { type SharedServer, sharedServers } from './needed-servers.ts';
import type { TestServers } from './test-servers.ts';

/**
 * The servers of `docker-compose.yml` under their own project name; testcontainers removes them even if this process is
 * killed.
 */
export async function startContainers(parts: readonly SharedServer[], signal: AbortSignal): Promise<TestServers> {
  const ports = await choosePorts(sharedServers, { wanted: {}, remembered: {}, isFree: isPortFree, anyFreePort });
  const password = () => randomBytes(18).toString('base64url');
  const secrets = { databasePassword: password(), registryPassword: password(), redisPassword: password() };
  const variables = composeVariables(ports, secrets, 1);
  let environment = new DockerComposeEnvironment(WORKSPACE, 'docker-compose.yml')
    .withEnvironment(variables)
    .withStartupTimeout(280_000);
  for (const part of parts) environment = environment.withWaitStrategy(`${part}-1`, Wait.forHealthCheck());
  signal.throwIfAborted();
  const started = await environment.up([...parts]);
  const { databaseUrl, kafkaBrokers, schemaRegistryUrl, redisUrl } = composeAddresses(variables);
  return {
    addresses: { databaseUrl, kafkaBrokers, schemaRegistryUrl, redisUrl },
    onUnexpectedExit: () => undefined,
    stop: async () => {
      await started.down({ removeVolumes: true });
    },
  };
}
