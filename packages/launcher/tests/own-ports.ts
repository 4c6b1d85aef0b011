import { fixedPort } from '@indelible/testing';
import { type PortUse, rememberPorts, WANTED_PORTS } from '../src/servers/ports.ts';

/** Lets the servers of a data folder use ports of their own: the usual ones are also those of test files that run beside. */
export async function giveOwnPorts(dataDir: string): Promise<void> {
  for (const use of Object.keys(WANTED_PORTS) as PortUse[]) await rememberPorts(dataDir, { [use]: await fixedPort() });
}
