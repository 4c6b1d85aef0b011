import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import type { Connection, Stack } from '@indelible/launcher';
import type { FailpointName } from '@indelible/service-runtime';
import { eventually, testDatabase } from '@indelible/testing';
import { whatDoctorFinds } from '../../doctor/support/what-doctor-finds.ts';
import { type Client, createClient } from '../../e2e/support/client.ts';
import { provideStackServers, startServices } from '../../support/test-stack.ts';

const root = resolve(import.meta.dirname, '../../..');
const main = join(root, 'packages/cli/src/main.ts');
/** The program of stamping behind `indelible restore`: all of it but accounts, before it, and consumer groups, after it. */
const restoreProgram = join(root, 'services/stamping/src/restore.ts');

/** Long enough for services that start, and for what waited meanwhile. */
export const patienceMs = 90_000;

export type Ended = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
};
export type RestorableStack = Awaited<ReturnType<typeof startRestorableStack>>;

/** Every service as a process on real servers; its database can be backed up, lost and restored, and the whole be stopped and started. */
export async function startRestorableStack() {
  // Statements of the server are sent from the other database.
  const [servers, other] = await Promise.all([provideStackServers('restore'), testDatabase()]);
  const { addresses, anvil, database, directory, topicPrefix } = servers;
  const secrets = servers.secretsDirectory;
  const log: string[] = [];
  const backup = `${database.name}_backup`;
  let stack: Stack | undefined;

  const running = (): Stack => {
    if (stack === undefined) throw new Error('no service runs');
    return stack;
  };

  async function start(): Promise<Connection> {
    stack = await startServices(servers, {
      environment: { stamping: { LANE_LEASE_MS: '2000', REBROADCAST_MS: '500', REPLACE_AFTER_MS: '2000' } },
      onLine: (service, line) => void log.push(`${service} ${line}`),
    });
    return stack.connection;
  }

  /** Runs statements of the server while nobody is connected to the database. */
  async function withoutSessions(statements: readonly string[]): Promise<void> {
    await other.pool.query(`alter database ${database.name} with allow_connections false`);
    await eventually(
      async () => {
        await other.pool.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
          database.name,
        ]);
        for (const statement of statements) await other.pool.query(statement);
      },
      { timeoutMs: patienceMs },
    );
    await other.pool.query(`alter database ${database.name} with allow_connections true`);
  }

  async function run(
    program: string,
    words: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<Ended> {
    const { chainId, contractAddress, operatorAddress } = connection;
    const env = {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      DATABASE_URL: addresses.databaseUrl,
      KAFKA_BROKERS: addresses.kafkaBrokers,
      SCHEMA_REGISTRY_URL: addresses.schemaRegistryUrl,
      TOPIC_PREFIX: topicPrefix,
      RPC_URL: addresses.rpcUrl,
      CHAIN_ID: String(chainId),
      CONTRACT_ADDRESS: contractAddress,
      OPERATOR_ADDRESS: operatorAddress,
      OPERATOR_SEED_FILE: join(secrets, 'operator.seed'),
      CUSTODY_SEED_FILE: join(secrets, 'custody.seed'),
      ...environment,
    };
    return new Promise<Ended>((settle, fail) => {
      const child = execFile(process.execPath, [program, ...words], { env, cwd: directory }, (error, out, err) => {
        if (typeof error?.code === 'string') fail(error);
        else settle({ code: child.exitCode, signal: child.signalCode, out, err });
      });
    });
  }

  const connection = await start();
  return {
    anvil,
    connection,
    log,
    pool: database.pool,
    client: (apiKey?: string): Client =>
      createClient(running().connection.rootUrl, apiKey ?? running().connection.apiKey),
    async holdBlocks(): Promise<void> {
      await anvil.request('evm_setIntervalMining', [0]);
    },
    async makeBlocks(): Promise<void> {
      await anvil.request('evm_setIntervalMining', [1]);
    },
    /** A copy of the database as it is at a moment. @returns a time before it */
    async backUp(): Promise<Date> {
      const before = new Date();
      await withoutSessions([`create database ${backup} template ${database.name}`]);
      return before;
    },
    /** The database is again as the copy; services that run see only that their connections broke. */
    restore: () =>
      withoutSessions([
        `drop database if exists ${database.name}`,
        `create database ${database.name} template ${backup}`,
      ]),
    /** The database is empty. */
    lose: () => withoutSessions([`drop database if exists ${database.name}`, `create database ${database.name}`]),
    command: (words: readonly string[]) => run(main, words),
    /** Brings stamping up to date, and kills that program at a point of it where one is given. */
    restoreStamping: (since: Date, point?: FailpointName) =>
      run(restoreProgram, ['--since', since.toISOString()], point === undefined ? {} : { FAILPOINTS: `${point}=kill` }),
    start,
    async stopServices(): Promise<void> {
      await stack?.stop();
      stack = undefined;
    },
    /** Waits until the doctor finds nothing. */
    untilHealthy: () =>
      eventually(
        async () => {
          const found = await whatDoctorFinds({ connection });
          if (found.length > 0) throw new Error(found.join('\n'));
        },
        { timeoutMs: patienceMs, intervalMs: 1_000 },
      ),
    async stop(): Promise<void> {
      await stack?.stop();
      await other.pool.query(`drop database if exists ${backup} with (force)`);
      await other.drop();
      await servers.release();
    },
  };
}
