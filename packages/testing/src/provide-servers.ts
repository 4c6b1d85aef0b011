import { join } from 'node:path';
import {
  createInfrastructure,
  dockerAnswers,
  type Infrastructure,
  readToolEnvironment,
} from '@indelible/local-infrastructure';
import { startContainers } from './containers.ts';
import { TEST_FOLDER, type TestAddresses, WORKSPACE } from './environment.ts';
import { printStep } from './print-step.ts';

/** The servers that all test files of one run share. Chains are not among them: each test file starts its own. */
export interface TestServers {
  readonly addresses: TestAddresses;
  /** Calls the listener if a server ends before `stop`. */
  onUnexpectedExit(listener: Parameters<Infrastructure['onUnexpectedExit']>[0]): void;
  stop(): Promise<void>;
}

/** Starts fresh servers that keep nothing: containers where a Docker engine answers, else processes. Throws InfrastructureError. */
export async function provideServers(name: string, signal: AbortSignal): Promise<TestServers> {
  const tools = readToolEnvironment();
  if (await dockerAnswers(tools)) return startContainers(signal);
  const infrastructure = await createInfrastructure({
    dataDir: join(TEST_FOLDER, name),
    downloadsDir: join(WORKSPACE, '.local', 'downloads'),
    addresses: {},
    parts: ['postgres', 'redis', 'kafka', 'registry'],
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
