import { resolve } from 'node:path';
import { readToolEnvironment, type ToolEnvironment } from './config.ts';
import { composeProject, removeData } from './data-folder.ts';
import { type DataSet, readDataSet, rememberDataSet } from './data-set.ts';
import { requireFreeDisk } from './disk.ts';
import { dockerAnswers, startContainers, stopContainers } from './docker.ts';
import { InfrastructureError } from './infrastructure-error.ts';
import { type ChainOptions, startNativeParts, withoutPassword } from './native-parts.ts';
import { lockDirectory } from './owner-lock.ts';
import {
  ADDRESS_OF,
  type Addresses,
  type OnStep,
  PART_NAMES,
  type PartName,
  type Provider,
  type UnexpectedExit,
} from './parts.ts';
import { checkPart } from './readiness.ts';
import { RunningServers } from './running-servers.ts';
import { settle } from './settle.ts';
import { runStep } from './steps.ts';
import { Supervisor } from './supervisor.ts';
import { waitUntil } from './wait-until.ts';

const NEEDED_DISK_BYTES = 2_000_000_000;
const GIVEN_TIMEOUT_MS = 15_000;
const VARIABLE_OF: Readonly<Record<PartName, string>> = {
  postgres: 'DATABASE_URL',
  kafka: 'KAFKA_BROKERS',
  registry: 'SCHEMA_REGISTRY_URL',
  redis: 'REDIS_URL',
  anvil: 'RPC_URL',
};

/** What to provide, and where it keeps its data. */
export interface InfrastructureOptions<P extends PartName = PartName> {
  /** Folder of the data, the chosen ports and the passwords; one running infrastructure each. */
  readonly dataDir: string;
  /** Folder of what is fetched; may be shared by any number of data folders. */
  readonly downloadsDir: string;
  /** Addresses of running servers, each used instead of our own. */
  readonly addresses: Partial<Addresses>;
  /** The parts wanted; by default all. */
  readonly parts?: readonly P[];
  readonly onStep: OnStep;
  /** 'auto' (default): containers where a Docker engine answers; 'never': native processes. */
  readonly docker?: 'auto' | 'never';
  /** By default a block each second. */
  readonly chain?: ChainOptions;
  /** Override settings of a native Postgres: benchmarks use them to count. */
  readonly postgresSettings?: Readonly<Record<string, string>>;
  /** For tests: any free ports, less durable writes, and `stop` removes the data. */
  readonly ephemeral?: boolean;
  /** Cancels a start: what has started is stopped before the call rejects. Once started, only `stop` stops it. */
  readonly signal: AbortSignal;
  /** Where programs are found; by default this process's environment. */
  readonly tools?: ToolEnvironment;
}

/** A running infrastructure. */
export interface Infrastructure<P extends PartName = PartName> {
  readonly connection: Pick<Addresses, (typeof ADDRESS_OF)[P]>;
  readonly providedBy: Readonly<Record<P, Provider>>;
  /** Process ids of the native servers, to measure or disturb them. */
  readonly processes: readonly { readonly name: string; readonly pid: number }[];
  /** Calls the listener once for every native server that ends before `stop`; also for one that has ended already. */
  onUnexpectedExit(listener: (exit: UnexpectedExit) => void): void;
  /** Stops everything this start brought up, and nothing else; resolves when no process of it is left. May be called again. */
  stop(): Promise<void>;
}

/**
 * Provides the infrastructure: each part by the address given, else by Docker, else by a process of this machine.
 * Servers that a killed run of the same data folder left behind are ended first; a second concurrent start is refused.
 * Throws InfrastructureError with a remedy, or the signal's reason; nothing is left running then.
 */
export async function createInfrastructure<P extends PartName = PartName>(
  options: InfrastructureOptions<P>,
): Promise<Infrastructure<P>> {
  const tools = options.tools ?? readToolEnvironment();
  const project = composeProject(options.dataDir, tools);
  const lock = await lockDirectory(project.dataDir);
  const running = new RunningServers();
  running.addCleanup(() => (options.ephemeral ? removeData(project) : lock.release()));
  const failed = new AbortController();
  const start: Start = {
    ...options,
    ...project,
    running,
    signal: AbortSignal.any([options.signal, failed.signal]),
    found: new Map(),
  };
  const parts: readonly PartName[] = options.parts ?? PART_NAMES;
  try {
    await endLeftovers(start);
    await settle(
      [
        ...parts.filter((part) => isGiven(start, part)).map((part) => useGiven(start, part)),
        provideMissing(
          start,
          parts.filter((part) => !isGiven(start, part)),
        ),
      ],
      () => failed.abort(),
    );
  } catch (error) {
    await running.stop();
    options.signal.throwIfAborted();
    throw error;
  }
  const entries = [...start.found];
  return {
    connection: Object.fromEntries(entries.map(([part, { address }]) => [ADDRESS_OF[part], address])) as Pick<
      Addresses,
      (typeof ADDRESS_OF)[P]
    >,
    providedBy: Object.fromEntries(entries.map(([part, { provider }]) => [part, provider])) as Record<P, Provider>,
    processes: running.processes,
    onUnexpectedExit: (listener) => running.onUnexpectedExit(listener),
    stop: () => running.stop(),
  };
}

interface Start extends InfrastructureOptions {
  readonly composeFile: string;
  readonly tools: ToolEnvironment;
  readonly running: RunningServers;
  readonly found: Map<PartName, { readonly address: string; readonly provider: Provider }>;
}

function isGiven(start: Start, part: PartName): boolean {
  return start.addresses[ADDRESS_OF[part]] !== undefined;
}

async function endLeftovers(start: Start): Promise<void> {
  const ended = await new Supervisor(start.dataDir).endLeftovers();
  if (ended.length === 0) return;
  const detail = `${ended.join(', ')} of an earlier start still ran, and ended`;
  start.onStep({ name: 'leftovers', state: 'started', seconds: 0, detail: '' });
  start.onStep({ name: 'leftovers', state: 'done', seconds: 0, detail });
}

async function useGiven(start: Start, part: PartName): Promise<void> {
  const address = start.addresses[ADDRESS_OF[part]] as string;
  await runStep(start.onStep, part, async () => {
    await waitForAnswer(start, part, address).catch((error: unknown) => {
      start.signal.throwIfAborted();
      const why = error instanceof Error ? error.message : String(error);
      throw new InfrastructureError(
        `${VARIABLE_OF[part]} is given, but ${withoutPassword(address)} does not answer (${why})`,
        `start that server, or unset ${VARIABLE_OF[part]} to have one started here`,
        { retryable: true, cause: error },
      );
    });
    return { value: undefined, detail: `${withoutPassword(address)} (given)` };
  });
  start.found.set(part, { address, provider: 'given' });
}

function waitForAnswer(start: Start, part: PartName, address: string): Promise<void> {
  const options = { timeoutMs: GIVEN_TIMEOUT_MS, intervalMs: 500, signal: start.signal };
  return waitUntil((deadline) => checkPart(part, address, deadline), options);
}

/** Containers and processes have separate data, so a start finds other data when the engine comes or goes. */
async function warnOfOtherData(start: Start, now: DataSet): Promise<void> {
  const before = await readDataSet(start.dataDir);
  await rememberDataSet(start.dataDir, now);
  if (before === undefined || before === now) return;
  const detail =
    now === 'docker'
      ? 'a Docker engine answers now: this start uses the data of its containers, not those of the start before; stop the engine to have those'
      : 'no Docker engine answers now: this start uses data of its own, not those of the containers of the start before; start the engine to have those';
  start.onStep({ name: 'other data', state: 'started', seconds: 0, detail: '' });
  start.onStep({ name: 'other data', state: 'done', seconds: 0, detail });
}

async function provideMissing(start: Start, missing: readonly PartName[]): Promise<void> {
  if (missing.length === 0) return;
  const chain = start.chain ?? { blockTimeSeconds: 1 };
  await requireFreeDisk(start.dataDir, NEEDED_DISK_BYTES);
  await requireFreeDisk(start.downloadsDir, NEEDED_DISK_BYTES);
  const docker = start.docker !== 'never' && (await dockerAnswers(start.tools));
  if (start.ephemeral !== true) await warnOfOtherData(start, docker ? 'docker' : 'native');
  if (docker) {
    start.running.addCleanup(() => stopContainers(start));
    const addresses = await runStep(start.onStep, 'containers', async () => {
      const { blockTimeSeconds } = chain;
      const value = await startContainers(start, missing, { blockTimeSeconds, signal: start.signal });
      await Promise.all(missing.map((part) => waitForAnswer(start, part, value[ADDRESS_OF[part]])));
      return { value, detail: missing.join(', ') };
    });
    for (const part of missing) start.found.set(part, { address: addresses[ADDRESS_OF[part]], provider: 'docker' });
    return;
  }
  // the registry keeps its schemas in our Postgres, whichever the services use
  const processes: readonly PartName[] = missing.includes('registry')
    ? [...new Set([...missing, 'postgres'] as const)]
    : missing;
  const native = await startNativeParts(
    processes,
    {
      dataDir: start.dataDir,
      downloadsDir: resolve(start.downloadsDir),
      ephemeral: start.ephemeral ?? false,
      chain,
      postgresSettings: start.postgresSettings ?? {},
      tools: start.tools,
      supervisor: new Supervisor(start.dataDir),
      onStep: start.onStep,
      signal: start.signal,
    },
    (part, server) => start.running.add(part, server),
  );
  for (const { part, address } of native) {
    if (missing.includes(part)) start.found.set(part, { address, provider: 'native' });
  }
}
