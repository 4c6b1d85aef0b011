import { join } from 'node:path';
import { type ChainKeeper, keepChain, loadChain, replayJournal } from '@indelible/ethereum/local-chain';
import { findAnvil, startAnvil } from '../native/anvil.ts';
import { KAFKA_ARTIFACTS, KAFKA_DOWNLOAD, startKafka } from '../native/kafka.ts';
import { DATABASE_ROLE, ensureDatabase, ensureRole, startPostgres } from '../native/postgres.ts';
import { findRedis, startRedis } from '../native/redis.ts';
import { REGISTRY_ARTIFACT, REGISTRY_DOWNLOAD, registryUrl, startRegistry } from '../native/schema-registry.ts';
import { serverEnvironment, type ToolEnvironment } from './config.ts';
import { InfrastructureError } from './infrastructure-error.ts';
import { findJava, type Java } from './java.ts';
import { MavenDownloads } from './maven.ts';
import type { OnStep, PartName } from './parts.ts';
import {
  anyFreePort,
  choosePorts,
  isPortFree,
  type PortUse,
  readRememberedPorts,
  rememberPorts,
  WANTED_PORTS,
} from './ports.ts';
import { waitForServer } from './readiness.ts';
import { provideSecrets, type Secrets } from './secrets.ts';
import { settle } from './settle.ts';
import { runStep } from './steps.ts';
import type { Server, Supervisor } from './supervisor.ts';

const READY_TIMEOUT_MS = 90_000;
const REGISTRY_ROLE = 'schema_registry';

/** The development chain of an installation. */
export interface ChainOptions {
  readonly blockTimeSeconds: number;
  /** Where the chain is kept between runs; by default inside the data directory, and nowhere when ephemeral. */
  readonly stateFile?: string;
}

/** What native processes are started with. */
export interface NativeOptions {
  readonly dataDir: string;
  readonly downloadsDir: string;
  readonly ephemeral: boolean;
  readonly chain: ChainOptions;
  readonly postgresSettings: Readonly<Record<string, string>>;
  readonly tools: ToolEnvironment;
  readonly supervisor: Supervisor;
  readonly onStep: OnStep;
  readonly signal: AbortSignal;
}

/** A part that runs as our process, and its address. */
export interface NativePart {
  readonly part: PartName;
  readonly address: string;
  readonly server: Server;
}

/**
 * Starts these parts at once, and reports each through `onStarted` as soon as its process exists, so that the caller
 * can stop it even if others fail. The registry keeps its schemas in Postgres: with `registry`, `postgres` must be
 * among the parts. Rejects with the first error, once the other starts are cancelled.
 */
export async function startNativeParts(
  parts: readonly PartName[],
  options: NativeOptions,
  onStarted: (part: PartName, server: Server) => void,
): Promise<NativePart[]> {
  const ports = await choosePortsOf(parts, options);
  const secrets = await provideSecrets(options.dataDir);
  const downloads = new MavenDownloads(options.downloadsDir, options.tools);
  const failed = new AbortController();
  const signal = AbortSignal.any([options.signal, failed.signal]);
  const context: Context = {
    ...options,
    signal,
    ports,
    secrets,
    downloads,
    env: serverEnvironment(options.tools),
    onStarted,
  };
  const java = parts.includes('kafka') || parts.includes('registry') ? findJava(options.tools, signal) : undefined;
  java?.catch(() => undefined);
  const step = (part: PartName, work: () => Promise<NativePart>) =>
    runStep(options.onStep, part, async () => {
      const value = await work();
      return { value, detail: withoutPassword(value.address) };
    });
  const database = parts.includes('postgres') ? step('postgres', () => providePostgres(context)) : undefined;
  const starts: Record<PartName, () => Promise<NativePart>> = {
    postgres: () => database as Promise<NativePart>,
    redis: () => step('redis', () => provideRedis(context)),
    anvil: () => step('anvil', () => provideAnvil(context)),
    kafka: () => step('kafka', async () => provideKafka(context, await (java as Promise<Java>))),
    registry: () =>
      step('registry', async () =>
        provideRegistry(context, await (java as Promise<Java>), database as Promise<NativePart>),
      ),
  };
  return settle(
    parts.map((part) => starts[part]()),
    () => failed.abort(),
  );
}

interface Context extends NativeOptions {
  readonly ports: Partial<Record<PortUse, number>>;
  readonly secrets: Secrets;
  readonly downloads: MavenDownloads;
  readonly env: Record<string, string>;
  readonly onStarted: (part: PartName, server: Server) => void;
}

async function choosePortsOf(parts: readonly PartName[], options: NativeOptions) {
  const uses: PortUse[] = parts.flatMap((part): PortUse[] =>
    part === 'kafka' ? ['kafka', 'kafkaController'] : [part],
  );
  const ports = await choosePorts(uses, {
    wanted: options.ephemeral ? {} : WANTED_PORTS,
    remembered: await readRememberedPorts(options.dataDir),
    isFree: isPortFree,
    anyFreePort,
  });
  await rememberPorts(options.dataDir, ports);
  return ports;
}

function portOf(context: Context, use: PortUse): number {
  const port = context.ports[use];
  if (port === undefined) throw new Error(`no port was chosen for ${use}`);
  return port;
}

async function ready(context: Context, part: PartName, address: string, server: Server): Promise<NativePart> {
  context.onStarted(part, server);
  await waitForServer(part, address, server, { timeoutMs: READY_TIMEOUT_MS, signal: context.signal });
  return { part, address, server };
}

async function providePostgres(context: Context): Promise<NativePart> {
  const port = portOf(context, 'postgres');
  const { databasePassword } = context.secrets;
  const server = await startPostgres({
    dataDir: context.dataDir,
    port,
    password: databasePassword,
    durable: !context.ephemeral,
    settings: context.postgresSettings,
    supervisor: context.supervisor,
    env: context.env,
    signal: context.signal,
  });
  const base = `postgres://${DATABASE_ROLE}:${encodeURIComponent(databasePassword)}@127.0.0.1:${port}`;
  const started = await ready(context, 'postgres', `${base}/postgres`, server);
  await ensureDatabase(started.address, DATABASE_ROLE, DATABASE_ROLE);
  return { ...started, address: `${base}/${DATABASE_ROLE}` };
}

async function provideRedis(context: Context): Promise<NativePart> {
  const program = await findRedis(context.tools, context.downloads, context.signal);
  const port = portOf(context, 'redis');
  const { supervisor, env } = context;
  const password = context.secrets.redisPassword;
  const server = await startRedis({
    program,
    dataDir: join(context.dataDir, 'redis'),
    port,
    password,
    supervisor,
    env,
  });
  return ready(context, 'redis', `redis://:${password}@127.0.0.1:${port}`, server);
}

/** We drive the chain's clock and save its blocks: its own ways are for short runs (see chain-clock and anvil). */
async function provideAnvil(context: Context): Promise<NativePart> {
  const port = portOf(context, 'anvil');
  const dataDir = join(context.dataDir, 'anvil');
  const rpcUrl = `http://127.0.0.1:${port}`;
  const { blockTimeSeconds } = context.chain;
  const stateFile = context.chain.stateFile ?? (context.ephemeral ? undefined : join(dataDir, 'chain.json.gz'));
  const server = await startAnvil({
    program: await findAnvil(),
    dataDir,
    settings: { port, blockTimeSeconds: 'manual', stateHistoryBlocks: 32 },
    supervisor: context.supervisor,
    env: context.env,
  });
  let keeper: ChainKeeper | undefined;
  const kept: Server = {
    ...server,
    stop: async () => {
      await keeper?.stop();
      await server.stop();
    },
  };
  const started = await ready(context, 'anvil', rpcUrl, kept);
  const files = stateFile === undefined ? undefined : { whole: stateFile, journal: `${stateFile}.journal` };
  if (files !== undefined) {
    await loadChain(rpcUrl, files.whole).catch((cause: unknown) => {
      throw new InfrastructureError(
        `The chain kept in ${files.whole} cannot be read`,
        'start again with --fresh, or give RPC_URL',
        { cause },
      );
    });
    await replayJournal(rpcUrl, files.journal);
  }
  keeper = await keepChain({ rpcUrl, blockTimeSeconds, files });
  return started;
}

async function provideKafka(context: Context, java: Java): Promise<NativePart> {
  const port = portOf(context, 'kafka');
  const server = await startKafka({
    jars: await context.downloads.withDependencies(KAFKA_DOWNLOAD, KAFKA_ARTIFACTS, context.signal),
    java,
    dataDir: join(context.dataDir, 'kafka'),
    port,
    controllerPort: portOf(context, 'kafkaController'),
    supervisor: context.supervisor,
    env: context.env,
    signal: context.signal,
  });
  return ready(context, 'kafka', `127.0.0.1:${port}`, server);
}

async function provideRegistry(context: Context, java: Java, database: Promise<NativePart>): Promise<NativePart> {
  const folder = await context.downloads.unpacked(REGISTRY_DOWNLOAD, REGISTRY_ARTIFACT, undefined, context.signal);
  const { address } = await database;
  const password = context.secrets.registryPassword;
  await ensureRole(address, REGISTRY_ROLE, password);
  await ensureDatabase(address, REGISTRY_ROLE, REGISTRY_ROLE);
  const port = portOf(context, 'registry');
  const server = await startRegistry({
    folder,
    java,
    dataDir: join(context.dataDir, 'registry'),
    port,
    database: { jdbcUrl: `jdbc:postgresql://${new URL(address).host}/${REGISTRY_ROLE}`, user: REGISTRY_ROLE, password },
    supervisor: context.supervisor,
    env: context.env,
  });
  return ready(context, 'registry', registryUrl(port), server);
}

/** The address in a form for a terminal. */
export function withoutPassword(address: string): string {
  return address.replace(/:[^:@/]+@/, '@').replace('//@', '//');
}
