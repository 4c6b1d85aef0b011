import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { type CheckName, checkNames, type DoctorSettings, runDoctor } from '@indelible/cli/doctor';
import { provideStackServers, startTestStack } from '../../support/test-stack.ts';

const main = resolve(import.meta.dirname, '../../../packages/cli/src/main.ts');

export type Ended = { readonly code: number; readonly out: string };

/** Every service as its own process on real servers, a block a second, and `indelible doctor` to look at it. */
export type DoctoredStack = Awaited<ReturnType<typeof startDoctoredStack>>;

export async function startDoctoredStack() {
  const running = await startTestStack(await provideStackServers('doctor'));
  const { connection, directory } = running;

  /** Runs the checks in this process, without an age limit and in pages of two rows, unless configured. */
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
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
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

  return { ...running, look, command };
}
