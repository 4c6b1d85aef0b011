import { execFile } from 'node:child_process';
import { chown, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { InfrastructureError } from '../servers/infrastructure-error.ts';
import { lastLines } from '../servers/last-lines.ts';
import type { Server, Supervisor } from '../servers/supervisor.ts';
import { type Account, findAccount, provideFolder } from './postgres-account.ts';
import { findPostgres } from './postgres-program.ts';

const run = promisify(execFile);
const MAJOR_VERSION = '18';
/** The role that owns this installation's databases. */
export const DATABASE_ROLE = 'indelible';

/** Everything the server needs to start. */
export interface PostgresOptions {
  /** Absolute; receives the cluster, unless the account Postgres runs as cannot reach it. */
  readonly dataDir: string;
  readonly port: number;
  readonly password: string;
  /** True: writes survive a power cut. False (tests): faster, but they may be lost. */
  readonly durable: boolean;
  /** Override the defaults of our servers. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly supervisor: Supervisor;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Settings of the server: reached over loopback alone, and small. */
export function postgresArguments(options: {
  cluster: string;
  port: number;
  durable: boolean;
  settings?: Readonly<Record<string, string>>;
}): string[] {
  const settings: [string, string][] = [
    ['listen_addresses', '127.0.0.1'],
    ['port', String(options.port)],
    ['unix_socket_directories', ''],
    ['max_connections', '200'],
    ['shared_buffers', '256MB'],
    ['jit', 'off'],
    ['timezone', 'UTC'],
    ['log_min_messages', 'warning'],
    ['log_timezone', 'UTC'],
    ...(options.durable ? DURABLE : NOT_DURABLE),
    ...Object.entries(options.settings ?? {}),
  ];
  return ['-D', options.cluster, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/**
 * After a checkpoint the first change of each page logs the whole page: two thirds of the log when load fills the
 * default gigabyte in a minute.
 */
const DURABLE: [string, string][] = [
  ['max_wal_size', '4GB'],
  ['checkpoint_timeout', '15min'],
];

const NOT_DURABLE: [string, string][] = [
  ['fsync', 'off'],
  ['synchronous_commit', 'off'],
  ['full_page_writes', 'off'],
];

/** Starts the server on its cluster, which is made at the first start. It does not answer yet: see {@link databaseAnswers}. */
export async function startPostgres(options: PostgresOptions): Promise<Server> {
  const account = await findAccount(process.getuid?.());
  const program = await findPostgres(account, options.dataDir);
  const home = await provideFolder(account, options.dataDir, 'postgres');
  const cluster = join(home, 'cluster');
  const version = (await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => '')).trim();
  if (version === '') await createCluster(program.initdb, home, cluster, account, options);
  else if (version !== MAJOR_VERSION) {
    throw new InfrastructureError(
      `The database in ${cluster} is of Postgres ${version}, this one is ${MAJOR_VERSION}`,
      'start again with --fresh, or give DATABASE_URL',
    );
  }
  return options.supervisor.start({
    name: 'postgres',
    command: program.postgres,
    args: postgresArguments({ ...options, cluster }),
    cwd: home,
    env: { ...options.env, LC_ALL: 'C' },
    // SIGINT: end the sessions and stop; SIGTERM would wait for the clients
    stopSignal: 'SIGINT',
    stopTimeoutMs: 15_000,
    ...(account === undefined ? {} : { user: account }),
  });
}

/** A cluster gets its name only when complete, so that an interrupted start can be repeated. */
async function createCluster(
  initdb: string,
  home: string,
  cluster: string,
  account: Account | undefined,
  options: PostgresOptions,
): Promise<void> {
  const part = join(home, 'cluster.part');
  const passwordFile = join(home, 'password');
  await rm(part, { recursive: true, force: true });
  await rm(cluster, { recursive: true, force: true });
  await writeFile(passwordFile, `${options.password}\n`, { mode: 0o600 });
  if (account !== undefined) await chown(passwordFile, account.uid, account.gid);
  const args = [
    `--pgdata=${part}`,
    `--username=${DATABASE_ROLE}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
  ];
  try {
    await run(initdb, args, {
      cwd: home,
      env: { ...options.env, LC_ALL: 'C' },
      timeout: 60_000,
      signal: options.signal,
      ...account,
    });
  } catch (error) {
    options.signal.throwIfAborted();
    const { stderr, stdout, message } = error as { stderr?: string; stdout?: string; message?: string };
    throw new InfrastructureError(
      'Postgres could not set up its data folder',
      'read the lines below, or give DATABASE_URL',
      {
        lastLines: lastLines(stderr || stdout || message || '', 10),
        cause: error,
      },
    );
  } finally {
    await rm(passwordFile, { force: true });
  }
  await rename(part, cluster);
}

/** Resolves when the server answers SELECT 1; rejects otherwise. */
export async function databaseAnswers(databaseUrl: string): Promise<void> {
  await withClient(databaseUrl, (client) => client.query('SELECT 1'));
}

/** Creates the database if it is missing, owned by the role of `databaseUrl` or by `owner`; no other role may connect to it. */
export async function ensureDatabase(databaseUrl: string, name: string, owner: string): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) {
      await client.query(`CREATE DATABASE ${pg.escapeIdentifier(name)} OWNER ${pg.escapeIdentifier(owner)}`);
    }
    await client.query(`REVOKE ALL ON DATABASE ${pg.escapeIdentifier(name)} FROM PUBLIC`);
  });
}

/** Creates the role, which may log in and nothing more, or gives it this password. */
export async function ensureRole(databaseUrl: string, name: string, password: string): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    const { rowCount } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [name]);
    const verb = rowCount === 0 ? 'CREATE' : 'ALTER';
    await client.query(`${verb} ROLE ${pg.escapeIdentifier(name)} LOGIN PASSWORD ${pg.escapeLiteral(password)}`);
  });
}

async function withClient<T>(databaseUrl: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 3_000,
    query_timeout: 20_000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await use(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
