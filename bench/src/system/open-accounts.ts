import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Hex } from '@indelible/identifiers';
import type { System } from './start-system.ts';

const cli = resolve(import.meta.dirname, '../../../packages/cli/src/main.ts');

/** The same system as an account of it sees it. */
export type AccountSystem = Pick<System, 'connection'>;

/** Opens accounts as an operator does, at the command line, and waits until each can stamp. */
export async function openAccounts(
  { connection, secretsDirectory }: System,
  count: number,
  signal: AbortSignal,
): Promise<readonly AccountSystem[]> {
  const env = {
    DATABASE_URL: connection.databaseUrl,
    RPC_URL: connection.rpcUrl,
    CHAIN_ID: String(connection.chainId),
    CONTRACT_ADDRESS: connection.contractAddress,
    OPERATOR_ADDRESS: connection.operatorAddress,
    CUSTODY_SEED_FILE: join(secretsDirectory, 'custody.seed'),
  };
  const opened: AccountSystem[] = [];
  for (let at = 1; at <= count; at++) {
    const words = ['accounts', 'create', '--name', `Bench ${at}`, '--email', `bench-${at}@example.com`];
    const { stdout } = await promisify(execFile)(process.execPath, [cli, '--json', ...words], { env, signal });
    const { address, apiKey } = JSON.parse(stdout) as { address: Hex; apiKey: string };
    opened.push({ connection: { ...connection, apiKey, userAddress: address } });
  }
  return opened;
}
