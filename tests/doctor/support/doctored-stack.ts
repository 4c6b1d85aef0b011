import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type CheckName, checkNames, type DoctorSettings, runDoctor } from '@indelible/doctor';
import { type Stack, startStack } from '@indelible/launcher';
import { testAnvil, testDatabase, testKafka, testRedis } from '@indelible/testing';

const main = resolve(import.meta.dirname, '../../../packages/cli/src/main.ts');

export type Ended = { readonly code: number; readonly out: string };

/** Every service as its own process on real servers, a block a second, and `indelible doctor` to look at it. */
export type DoctoredStack = Awaited<ReturnType<typeof startDoctoredStack>>;

export async function startDoctoredStack() {
  const directory = await mkdtemp(join(tmpdir(), 'indelible-doctor-'));
  const [database, anvil] = await Promise.all([testDatabase(), testAnvil({ blockTimeSeconds: 1 })]);
  const kafka = testKafka();
  const redis = testRedis();
  const release = async (): Promise<void> => {
    await Promise.all([database.drop(), kafka.dispose(), redis.dispose(), anvil.stop()]);
    await rm(directory, { recursive: true, force: true });
  };
  const log: string[] = [];
  let stack: Stack;
  try {
    stack = await startStack({
      addresses: {
        databaseUrl: database.url,
        kafkaBrokers: kafka.brokers.join(','),
        schemaRegistryUrl: kafka.schemaRegistryUrl,
        redisUrl: redis.url,
        rpcUrl: anvil.rpcUrl,
      },
      dataDir: join(directory, 'data'),
      secretsDir: join(directory, 'secrets'),
      topicPrefix: kafka.prefix,
      ports: 'any',
      onStep: () => {},
      onLine: (service, line) => void log.push(`${service} ${line}`),
      signal: new AbortController().signal,
    });
  } catch (error) {
    await release();
    throw new Error(`the stack did not start; its log ends with\n${log.slice(-40).join('\n')}`, { cause: error });
  }
  const { connection } = stack;

  /** Looks at it in this process; everything is judged, however young, and in pages of two rows, unless told otherwise. */
  const look = (only: readonly CheckName[] = checkNames, changes: Partial<DoctorSettings> = {}) =>
    runDoctor(
      {
        databaseUrl: connection.databaseUrl,
        chainId: connection.chainId,
        chain: { rpcUrls: [connection.rpcUrl], contract: connection.contractAddress.toLowerCase() as `0x${string}` },
        blobStore: { kind: 'local', directory: connection.blobDirectory },
        checks: only,
        pageSize: 2,
        graceSeconds: 0,
        overdueSeconds: 900,
        sha3: false,
        recheckAfterMs: 0,
        mostShown: 20,
        ...changes,
      },
      () => {},
    );

  /** Runs `indelible doctor` as a process of its own. @param environment over the stack's own */
  const command = (words: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
    new Promise<Ended>((settle, fail) => {
      const env = {
        DATABASE_URL: connection.databaseUrl,
        RPC_URL: connection.rpcUrl,
        CHAIN_ID: String(connection.chainId),
        CONTRACT_ADDRESS: connection.contractAddress,
        BLOB_STORE_DIRECTORY: connection.blobDirectory,
        ...environment,
      };
      execFile(process.execPath, [main, 'doctor', ...words], { env, cwd: directory }, (error, out, err) => {
        if (error !== null && typeof error.code !== 'number') fail(error);
        else settle({ code: error === null ? 0 : Number(error.code), out: out + err });
      });
    });

  return { connection, database, anvil, stack, look, command, release };
}
