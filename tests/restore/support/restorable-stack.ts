import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { checkNames, linesOf, runDoctor, verdictOf } from '@indelible/doctor';
import { type Connection, type Stack, startStack } from '@indelible/launcher';
import { eventually, testAnvil, testDatabase, testKafka, testRedis } from '@indelible/testing';
import { type Client, createClient } from '../../e2e/support/client.ts';

const main = resolve(import.meta.dirname, '../../../packages/cli/src/main.ts');

/** Long enough for services that start, and for what waited meanwhile. */
export const patienceMs = 90_000;

export type Ended = { readonly code: number; readonly out: string; readonly err: string };
export type RestorableStack = Awaited<ReturnType<typeof startRestorableStack>>;

/** Every service as a process on real servers; its database can be backed up, lost and restored, and the whole be stopped and started. */
export async function startRestorableStack() {
  const directory = await mkdtemp(join(tmpdir(), 'indelible-restore-'));
  // Statements of the server are sent from the other database.
  const [database, other, anvil] = await Promise.all([
    testDatabase(),
    testDatabase(),
    testAnvil({ blockTimeSeconds: 1 }),
  ]);
  const kafka = testKafka();
  const redis = testRedis();
  const secrets = join(directory, 'secrets');
  const log: string[] = [];
  const addresses = {
    databaseUrl: database.url,
    kafkaBrokers: kafka.brokers.join(','),
    schemaRegistryUrl: kafka.schemaRegistryUrl,
    redisUrl: redis.url,
    rpcUrl: anvil.rpcUrl,
  };
  const backup = `${database.name}_backup`;
  let stack: Stack | undefined;

  const running = (): Stack => {
    if (stack === undefined) throw new Error('no service runs');
    return stack;
  };

  async function start(): Promise<Connection> {
    stack = await startStack({
      addresses,
      dataDir: join(directory, 'data'),
      secretsDir: secrets,
      topicPrefix: kafka.prefix,
      ports: 'any',
      environment: { stamping: { LANE_LEASE_MS: '2000', REBROADCAST_MS: '500', REPLACE_AFTER_MS: '2000' } },
      onStep: () => {},
      onLine: (service, line) => void log.push(`${service} ${line}`),
      signal: new AbortController().signal,
    }).catch((error: unknown) => {
      throw new Error(`the stack did not start; its log ends with\n${log.slice(-40).join('\n')}`, { cause: error });
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

  async function command(words: readonly string[]): Promise<Ended> {
    const { chainId, contractAddress, operatorAddress } = connection;
    const env = {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      DATABASE_URL: addresses.databaseUrl,
      KAFKA_BROKERS: addresses.kafkaBrokers,
      SCHEMA_REGISTRY_URL: addresses.schemaRegistryUrl,
      TOPIC_PREFIX: kafka.prefix,
      RPC_URL: addresses.rpcUrl,
      CHAIN_ID: String(chainId),
      CONTRACT_ADDRESS: contractAddress,
      OPERATOR_ADDRESS: operatorAddress,
      OPERATOR_SEED_FILE: join(secrets, 'operator.seed'),
      CUSTODY_SEED_FILE: join(secrets, 'custody.seed'),
    };
    return new Promise<Ended>((settle, fail) => {
      execFile(process.execPath, [main, ...words], { env, cwd: directory }, (error, out, err) => {
        if (error !== null && typeof error.code !== 'number') fail(error);
        else settle({ code: error === null ? 0 : Number(error.code), out, err });
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
    command,
    start,
    async stopServices(): Promise<void> {
      await stack?.stop();
      stack = undefined;
    },
    /** Waits until the doctor finds nothing. */
    untilHealthy: () =>
      eventually(
        async () => {
          const found = await whatDoctorFinds(connection);
          if (found.length > 0) throw new Error(found.join('\n'));
        },
        { timeoutMs: patienceMs, intervalMs: 1_000 },
      ),
    async stop(): Promise<void> {
      await stack?.stop();
      await other.pool.query(`drop database if exists ${backup} with (force)`);
      await Promise.all([database.drop(), other.drop(), kafka.dispose(), redis.dispose(), anvil.stop()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function whatDoctorFinds(connection: Connection): Promise<readonly string[]> {
  const findings = await runDoctor(
    {
      databaseUrl: connection.databaseUrl,
      chainId: connection.chainId,
      chain: { rpcUrls: [connection.rpcUrl], contract: connection.contractAddress.toLowerCase() as `0x${string}` },
      blobStore: { kind: 'local', directory: connection.blobDirectory },
      checks: checkNames,
      pageSize: 100,
      graceSeconds: 0,
      overdueSeconds: 900,
      sha3: false,
      recheckAfterMs: 1_000,
      mostShown: 20,
    },
    () => {},
  );
  return verdictOf(findings) === 0 ? [] : findings.flatMap((finding) => linesOf(finding));
}
