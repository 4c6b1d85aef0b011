import { provideStackServers, startTestStack } from '../../tests/support/test-stack.ts';
import type { System } from '../src/system/start-system.ts';

/** A system on the servers of the tests, which are there already. */
export async function startTestSystem(): Promise<System> {
  const running = await startTestStack(await provideStackServers('bench'));
  return {
    connection: running.connection,
    services: running.stack.services,
    blobDirectory: running.connection.blobDirectory,
    servers: [{ name: 'anvil', pid: () => running.anvil.pid }],
    kafkaDirectory: undefined,
    log: () => running.log.slice(-40),
    stop: running.stop,
  };
}
