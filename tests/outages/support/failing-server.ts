import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  ADDRESS_OF,
  type Addresses,
  createInfrastructure,
  type Infrastructure,
  type PartName,
  type PortUse,
} from '@indelible/launcher/servers';
import { fixedPort } from '@indelible/testing';

/** A server that can be taken away and comes back on its port with its data. */
export type FailingServer = {
  readonly address: string;
  /** SIGKILL, as when its machine dies. */
  kill(): Promise<void>;
  /** In its own order, as when it is replaced. */
  stop(): Promise<void>;
  /** Resolves when it answers again. */
  start(): Promise<void>;
  /** It keeps its connections and answers nothing. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
};

const downloadsDir = resolve(import.meta.dirname, '../../../.local/downloads');
const portsOf: Readonly<Record<PartName, readonly PortUse[]>> = {
  postgres: ['postgres'],
  redis: ['redis'],
  anvil: ['anvil'],
  kafka: ['kafka', 'kafkaController'],
  registry: ['registry', 'postgres'],
};

/** Starts one part as an infrastructure of its own, so that it can be stopped without the others. */
export async function startFailingServer(part: PartName, directory: string): Promise<FailingServer> {
  const dataDir = join(directory, part);
  await mkdir(dataDir, { recursive: true });
  const ports: Partial<Record<PortUse, number>> = {};
  for (const use of portsOf[part]) ports[use] = await fixedPort();
  await writeFile(join(dataDir, 'ports.json'), JSON.stringify(ports));

  const up = (): Promise<Infrastructure<PartName>> =>
    createInfrastructure({
      dataDir,
      downloadsDir,
      addresses: {},
      parts: [part],
      docker: 'never',
      onStep: () => undefined,
      signal: AbortSignal.timeout(90_000),
    });
  const addressOf = (infrastructure: Infrastructure<PartName>): string =>
    (infrastructure.connection as Addresses)[ADDRESS_OF[part]];

  let running: Infrastructure<PartName> | undefined = await up();
  const address = addressOf(running);
  const stop = async (): Promise<void> => {
    await running?.stop();
    running = undefined;
  };
  const pidNow = (): number => {
    const pid = running?.processes.find(({ name }) => name === part)?.pid;
    if (pid === undefined) throw new Error(`${part} does not run`);
    return pid;
  };
  /** To the server and what it has forked: Postgres has a process for each session. */
  const signalAll = async (name: NodeJS.Signals): Promise<void> => {
    const pid = pidNow();
    process.kill(pid, name);
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
    for (const child of children.split(' ').filter(Boolean))
      try {
        process.kill(Number(child), name);
      } catch (error) {
        // Postgres' short-lived workers may have ended by themselves.
        if ((error as { code?: unknown }).code !== 'ESRCH') throw error;
      }
  };
  return {
    address,
    stop,
    async kill() {
      process.kill(pidNow(), 'SIGKILL');
      await stop();
    },
    async start() {
      running ??= await up();
      if (addressOf(running) !== address) throw new Error(`${part} came back at another address`);
    },
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
  };
}
