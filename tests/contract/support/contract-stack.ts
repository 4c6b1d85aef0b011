import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { provideStackServers, startTestStack } from '../../support/test-stack.ts';

/** Limits small enough for a test to reach. */
export const limits = { stalledMs: 1_500, fileBytes: 4 * 2 ** 20, dataBytes: 64 * 1024 } as const;

/** Every service as its own process on real servers, for the whole folder; a block a second. */
export type ContractStack = Awaited<ReturnType<typeof startContractStack>>;

const cli = resolve(import.meta.dirname, '../../../packages/cli/src/main.ts');

/** Of single services. */
type Environment = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** @param environmentAt of single services, beside the small limits; given the address of the chain's node */
export async function startContractStack(environmentAt: (rpcUrl: string) => Promise<Environment> = async () => ({})) {
  const servers = await provideStackServers('contract');
  const environment = await environmentAt(servers.anvil.rpcUrl);
  const running = await startTestStack(servers, {
    environment: {
      ...environment,
      gateway: {
        STALLED_MS: String(limits.stalledMs),
        MAX_FILE_BYTES: String(limits.fileBytes),
        MAX_DATA_BYTES: String(limits.dataBytes),
        ...environment.gateway,
      },
    },
  });
  const { anvil, connection } = running;
  const indelible = async <Told>(...words: string[]): Promise<Told> => {
    const { stdout } = await promisify(execFile)(process.execPath, [cli, '--json', ...words], {
      env: {
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        DATABASE_URL: connection.databaseUrl,
        RPC_URL: connection.rpcUrl,
        CHAIN_ID: String(connection.chainId),
        CONTRACT_ADDRESS: connection.contractAddress,
        OPERATOR_ADDRESS: connection.operatorAddress,
        CUSTODY_SEED_FILE: join(servers.secretsDirectory, 'custody.seed'),
      },
    });
    return JSON.parse(stdout) as Told;
  };
  return {
    ...running,
    indelible,
    /** The staged files, finished or not. */
    staged: async (): Promise<string[]> =>
      (await readdir(connection.blobDirectory, { recursive: true, withFileTypes: true }).catch(() => []))
        .filter((entry) => entry.isFile() && !join(entry.parentPath, entry.name).includes('/blobs/objects/'))
        .map((entry) => entry.name),
    objectsDirectory: join(connection.blobDirectory, 'objects'),
    /** How many commitments the contract has logged. */
    async commitments(): Promise<number> {
      const filter = { address: connection.contractAddress, fromBlock: '0x0', toBlock: 'latest' };
      return (await anvil.request<unknown[]>('eth_getLogs', [filter])).length;
    },
  };
}
