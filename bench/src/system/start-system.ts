import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Connection, type Stack, startStack } from '@indelible/launcher';
import { createInfrastructure, discardInfrastructure } from '@indelible/local-infrastructure';

const local = resolve(import.meta.dirname, '../../../.local');
/** One for all: what a killed run left is found there and ended, and a second run at the same time is refused. */
const folder = join(local, 'bench');
const serversDir = join(folder, 'servers');
const linesKept = 40;

/** Servers of a scenario's own, careful with writes as in production, and every service as a process of its own. */
export type System = {
  readonly connection: Connection;
  readonly services: Stack['services'];
  readonly blobDirectory: string;
  /** Stops everything and removes its data. */
  stop(): Promise<void>;
};

/** @throws InfrastructureError, or an Error with the last lines of the log; nothing is left running then */
export async function startSystem(options: {
  readonly progress: (text: string) => void;
  readonly signal: AbortSignal;
}): Promise<System> {
  const discard = async (): Promise<void> => {
    await discardInfrastructure(serversDir);
    await rm(folder, { recursive: true, force: true });
  };
  await discard();
  const undo = [discard];
  const stop = async (): Promise<void> => {
    options.progress('stopping');
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step();
  };
  const log: string[] = [];
  const onStep = ({ name, state }: { readonly name: string; readonly state: string }): void => {
    if (state === 'started') options.progress(`starting ${name}`);
  };
  try {
    const infrastructure = await createInfrastructure({
      dataDir: serversDir,
      downloadsDir: join(local, 'downloads'),
      addresses: {},
      docker: 'never',
      onStep,
      signal: options.signal,
    });
    undo.push(infrastructure.stop);
    const dataDir = join(folder, 'data');
    const stack = await startStack({
      addresses: infrastructure.connection,
      dataDir,
      secretsDir: join(folder, 'secrets'),
      topicPrefix: '',
      ports: 'any',
      onStep,
      onLine: (service, line) => {
        log.push(`${service} ${line}`);
        log.splice(0, log.length - linesKept);
      },
      signal: options.signal,
    });
    undo.push(stack.stop);
    return { connection: stack.connection, services: stack.services, blobDirectory: join(dataDir, 'blobs'), stop };
  } catch (error) {
    await stop();
    options.signal.throwIfAborted();
    throw new Error(['the system did not start; its log ends with', ...log].join('\n'), { cause: error });
  }
}
