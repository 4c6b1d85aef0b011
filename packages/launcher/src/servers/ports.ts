import { readFile, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';

/** What a port is for, in one data directory. */
export type PortUse = 'postgres' | 'kafka' | 'kafkaController' | 'registry' | 'redis' | 'anvil';

/** The ports people expect these servers on. */
export const WANTED_PORTS: Readonly<Record<PortUse, number>> = {
  postgres: 5432,
  kafka: 9092,
  kafkaController: 9093,
  registry: 8081,
  redis: 6379,
  anvil: 8545,
};

/** Tells whether a port of this machine's loopback address can be listened on now. */
export type IsFree = (port: number) => Promise<boolean>;

/**
 * Chooses a port for each use: the remembered one if free, else the wanted one if free, else any free one; no port twice.
 * @param wanted leave out a use to get any free port for it
 */
export async function choosePorts(
  uses: readonly PortUse[],
  options: {
    wanted: Readonly<Partial<Record<PortUse, number>>>;
    remembered: Readonly<Partial<Record<PortUse, number>>>;
    isFree: IsFree;
    anyFreePort: () => Promise<number>;
  },
): Promise<Partial<Record<PortUse, number>>> {
  const chosen: Partial<Record<PortUse, number>> = {};
  const taken = new Set<number>();
  for (const use of uses) {
    let port: number | undefined;
    for (const candidate of [options.remembered[use], options.wanted[use]]) {
      if (candidate !== undefined && !taken.has(candidate) && (await options.isFree(candidate))) {
        port = candidate;
        break;
      }
    }
    while (port === undefined || taken.has(port)) port = await options.anyFreePort();
    chosen[use] = port;
    taken.add(port);
  }
  return chosen;
}

/** Ports chosen by the run before; empty if there was none or its file cannot be read. */
export async function readRememberedPorts(dataDir: string): Promise<Partial<Record<PortUse, number>>> {
  try {
    const value: unknown = JSON.parse(await readFile(join(dataDir, 'ports.json'), 'utf8'));
    if (typeof value !== 'object' || value === null) return {};
    const entries = Object.entries(value).filter(
      ([use, port]) => use in WANTED_PORTS && Number.isInteger(port) && port > 0 && port < 65_536,
    );
    return Object.fromEntries(entries);
  } catch {
    return {};
  }
}

/** Keeps the choice for the next start. */
export async function rememberPorts(dataDir: string, ports: Partial<Record<PortUse, number>>): Promise<void> {
  const all = { ...(await readRememberedPorts(dataDir)), ...ports };
  await writeFile(join(dataDir, 'ports.json'), `${JSON.stringify(all, undefined, 2)}\n`);
}

/** Free: nobody answers there, and it can be listened on (on some systems even beside a server on all addresses). */
export async function isPortFree(port: number): Promise<boolean> {
  return !(await answers(port)) && (await listen(port)) !== undefined;
}

/** A port that the operating system reports free now. */
export async function anyFreePort(): Promise<number> {
  const port = await listen(0);
  if (port === undefined) throw new Error('the operating system gave no free port');
  return port;
}

function listen(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : undefined;
      server.close(() => resolve(bound));
    });
  });
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 500 });
    const finish = (result: boolean) => {
      socket.destroy();
      resolve(result);
    };
    socket.once('connect', () => finish(true));
    socket.once('timeout', () => finish(true));
    socket.once('error', () => finish(false));
  });
}
