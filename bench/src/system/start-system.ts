import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Connection, openTelemetryOf, type Stack, startStack } from '@indelible/launcher';
import { createInfrastructure, discardInfrastructure } from '@indelible/launcher/servers';
import type { Watched } from '../measuring/process-cpu.ts';

const local = resolve(import.meta.dirname, '../../../.local');
/** Shared by all runs: finds and ends what a killed run left, and refuses a second run at the same time. */
const folder = join(local, 'bench');
const [serversDir, chainDir] = [join(folder, 'servers'), join(folder, 'chain')];
const countingStatements = { shared_preload_libraries: 'pg_stat_statements' };
/** The newest lines kept: of all levels, and above info. */
const linesKept = { newest: 40, warnings: 2_000 };

/** Servers of one scenario, with writes as durable as in production, and each service as a process. */
export type System = {
  readonly connection: Connection;
  readonly services: Stack['services'];
  readonly blobDirectory: string;
  /** The known servers on this machine. */
  readonly servers: readonly Watched[];
  /** Where Kafka keeps its logs, if that is known. */
  readonly kafkaDirectory: string | undefined;
  /** Warnings of the services, and their last log lines. */
  log(): readonly string[];
  /** Stops everything and removes its data. */
  stop(): Promise<void>;
};

export type SystemOptions = {
  /** Saves the chain's blocks as `npm start` does. Default: saves nothing. */
  readonly keepsChain?: boolean;
  /** Postgres counts its statements, which costs it a little time. */
  readonly countsStatements?: boolean;
};

/** @throws InfrastructureError, or an Error with the last lines of the log; nothing is left running then */
export async function startSystem(
  options: SystemOptions & { readonly progress: (text: string) => void; readonly signal: AbortSignal },
): Promise<System> {
  await discard();
  const undo = [discard];
  const stop = async (): Promise<void> => {
    options.progress('stopping');
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step();
  };
  const newest: string[] = [];
  const warnings: string[] = [];
  const log = (): string[] => [...warnings, ...newest.filter(isInformation)];
  const onStep = ({ name, state }: { readonly name: string; readonly state: string }): void => {
    if (state === 'started') options.progress(`starting ${name}`);
  };
  try {
    const common = { downloadsDir: join(local, 'downloads'), docker: 'never', onStep, signal: options.signal } as const;
    const stateFile = options.keepsChain === true ? { stateFile: join(chainDir, 'chain.json.gz') } : {};
    const chain = await createInfrastructure({
      ...common,
      ...{ dataDir: chainDir, addresses: {}, parts: ['anvil'], ephemeral: true },
      chain: { blockTimeSeconds: 1, ...stateFile },
    });
    undo.push(chain.stop);
    const infrastructure = await createInfrastructure({
      ...common,
      ...{ dataDir: serversDir, addresses: chain.connection },
      postgresSettings: options.countsStatements === true ? countingStatements : {},
    });
    undo.push(infrastructure.stop);
    const dataDir = join(folder, 'data');
    const stack = await startStack({
      addresses: infrastructure.connection,
      dataDir,
      secretsDir: join(folder, 'secrets'),
      topicPrefix: '',
      ports: 'any',
      common: openTelemetryOf(process.env),
      onStep,
      onLine: (service, line) => {
        keepNewest(newest, `${service} ${line}`, linesKept.newest);
        if (!isInformation(line)) keepNewest(warnings, `${service} ${line}`, linesKept.warnings);
      },
      signal: options.signal,
    });
    undo.push(stack.stop);
    return {
      connection: stack.connection,
      services: stack.services,
      blobDirectory: join(dataDir, 'blobs'),
      servers: [...infrastructure.processes, ...chain.processes].map(({ name, pid }) => ({ name, pid: () => pid })),
      kafkaDirectory: join(serversDir, 'kafka', 'data'),
      log,
      stop,
    };
  } catch (error) {
    await stop();
    options.signal.throwIfAborted();
    throw new Error(['the system did not start; its log ends with', ...newest].join('\n'), { cause: error });
  }
}

async function discard(): Promise<void> {
  for (const directory of [serversDir, chainDir]) await discardInfrastructure(directory);
  await rm(folder, { recursive: true, force: true });
}

const isInformation = (line: string): boolean => line.includes('"level":"info"');

function keepNewest(lines: string[], line: string, most: number): void {
  lines.push(line);
  lines.splice(0, lines.length - most);
}
