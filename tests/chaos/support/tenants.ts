import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Connection } from '@indelible/launcher';

export type Tenant = { readonly address: string; readonly apiKey: string };

const cli = resolve(import.meta.dirname, '../../../packages/cli/src/main.ts');

/** Another account, created like an operator does. */
export async function openTenant(connection: Connection, secretsDir: string, name: string): Promise<Tenant> {
  const words = ['accounts', 'create', '--name', name, '--email', `${name.toLowerCase()}@example.com`];
  const { stdout } = await promisify(execFile)(process.execPath, [cli, '--json', ...words], {
    env: {
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      DATABASE_URL: connection.databaseUrl,
      RPC_URL: connection.rpcUrl,
      CHAIN_ID: String(connection.chainId),
      CONTRACT_ADDRESS: connection.contractAddress,
      OPERATOR_ADDRESS: connection.operatorAddress,
      CUSTODY_SEED_FILE: join(secretsDir, 'custody.seed'),
    },
  });
  return JSON.parse(stdout) as Tenant;
}
