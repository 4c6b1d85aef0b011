import { join } from 'node:path';
import { createInfrastructure, dockerAnswers, readToolEnvironment } from '@indelible/launcher/servers';
import { startContainers } from './containers.ts';
import { TEST_FOLDER, WORKSPACE } from './environment.ts';
import { type SharedServer, sharedServers } from './needed-servers.ts';
import { printStep } from './print-step.ts';
import type { TestServers } from './test-servers.ts';

/**
 * Starts fresh servers that keep nothing: containers if a Docker engine responds, else processes. Throws
 * InfrastructureError.
 */
export async function provideServers(
  name: string,
  signal: AbortSignal,
  parts: readonly SharedServer[] = sharedServers,
): Promise<TestServers> {
  if (parts.length === 0) return { addresses: {}, onUnexpectedExit: () => {}, stop: async () => {} };
  const tools = readToolEnvironment();
  if (await dockerAnswers(tools)) return startContainers(parts, signal);
  const infrastructure = await createInfrastructure({
    dataDir: join(TEST_FOLDER, name),
    downloadsDir: join(WORKSPACE, '.local', 'downloads'),
    addresses: {},
    parts,
    docker: 'never',
    ephemeral: true,
    onStep: printStep,
    signal,
    tools,
  });
  return {
    addresses: infrastructure.connection,
    onUnexpectedExit: (listener) => infrastructure.onUnexpectedExit(listener),
    stop: () => infrastructure.stop(),
  };
}
