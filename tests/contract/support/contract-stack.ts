import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Stack, startStack } from '@indelible/launcher';
import { testAnvil, testDatabase, testKafka, testRedis } from '@indelible/testing';

/** Limits small enough to be met by a test. */
export const limits = { stalledMs: 1_500, fileBytes: 4 * 2 ** 20, dataBytes: 64 * 1024 } as const;

/** Every service as its own process on real servers, for the whole folder; a block a second. */
export type ContractStack = Awaited<ReturnType<typeof startContractStack>>;

const cli = resolve(import.meta.dirname, '../../../packages/cli/src/main.ts');

/** Of single services. */
type Environment = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** @param environmentAt of single services, beside the small limits; given the address of the chain's node */
export async function startContractStack(environmentAt: (rpcUrl: string) => Promise<Environment> = async () => ({})) {
  const directory = await mkdtemp(join(tmpdir(), 'indelible-contract-'));
  const [database, anvil] = await Promise.all([testDatabase(), testAnvil({ blockTimeSeconds: 1 })]);
  const kafka = testKafka();
  const redis = testRedis();
  const log: string[] = [];
  const release = async (): Promise<void> => {
    await Promise.all([database.drop(), kafka.dispose(), redis.dispose(), anvil.stop()]);
    await rm(directory, { recursive: true, force: true });
  };
  let stack: Stack;
  try {
    const environment = await environmentAt(anvil.rpcUrl);
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
      environment: {
        ...environment,
        gateway: {
          STALLED_MS: String(limits.stalledMs),
          MAX_FILE_BYTES: String(limits.fileBytes),
          MAX_DATA_BYTES: String(limits.dataBytes),
          ...environment.gateway,
        },
      },
      onStep: () => {},
      onLine: (service, line) => void log.push(`${service} ${line}`),
      signal: new AbortController().signal,
    });
  } catch (error) {
    await release();
    throw new Error(`the stack did not start; its log ends with\n${log.slice(-40).join('\n')}`, { cause: error });
  }
  const { connection } = stack;
  const indelible = async <Told>(...words: string[]): Promise<Told> => {
    const { stdout } = await promisify(execFile)(process.execPath, [cli, '--json', ...words], {
      env: {
        DATABASE_URL: connection.databaseUrl,
        RPC_URL: connection.rpcUrl,
        CHAIN_ID: String(connection.chainId),
        CONTRACT_ADDRESS: connection.contractAddress,
        OPERATOR_ADDRESS: connection.operatorAddress,
        CUSTODY_SEED_FILE: join(directory, 'secrets', 'custody.seed'),
      },
    });
    return JSON.parse(stdout) as Told;
  };
  return {
    connection,
    stack,
    pool: database.pool,
    topicPrefix: kafka.prefix,
    log,
    anvil,
    indelible,
    /** The files that lie staged, finished or not. */
    staged: async (): Promise<string[]> =>
      (await readdir(join(directory, 'data', 'blobs'), { recursive: true, withFileTypes: true }).catch(() => []))
        .filter((entry) => entry.isFile() && !join(entry.parentPath, entry.name).includes('/blobs/objects/'))
        .map((entry) => entry.name),
    objectsDirectory: join(directory, 'data', 'blobs', 'objects'),
    /** How many commitments the contract has logged. */
    async commitments(): Promise<number> {
      const filter = { address: connection.contractAddress, fromBlock: '0x0', toBlock: 'latest' };
      return (await anvil.request<unknown[]>('eth_getLogs', [filter])).length;
    },
    async stop() {
      await stack.stop();
      await release();
    },
  };
}
