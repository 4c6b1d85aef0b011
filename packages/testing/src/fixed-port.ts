import { randomInt } from 'node:crypto';
import { isPortFree } from '@indelible/launcher/servers';

const given = new Set<number>();

/**
 * A port for a later or repeated listener. It is below the system's range for automatic and outgoing ports: nobody else
 * gets it meanwhile, and a client that keeps retrying never connects to itself.
 */
export async function fixedPort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_000);
    if (given.has(port) || !(await isPortFree(port))) continue;
    given.add(port);
    return port;
  }
}
