import { randomInt } from 'node:crypto';
import { isPortFree } from '@indelible/launcher/servers';

const given = new Set<number>();

/**
 * A port on which something listens later, or again. It is below those that the system gives to servers that ask for any port, and to
 * outgoing connections: nobody else gets it meanwhile, and a client that tries it again and again never talks to itself.
 */
export async function fixedPort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_000);
    if (given.has(port) || !(await isPortFree(port))) continue;
    given.add(port);
    return port;
  }
}
