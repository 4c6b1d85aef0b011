import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { accountsMigrations, accountsSchema } from '@indelible/accounts';
import { functionSelectors } from '@indelible/commitment-contract';
import { migrate } from '@indelible/postgres';
import { closeServer, listen, portOf } from '@indelible/service-runtime';
import { migratedTemplate, testDatabase } from '@indelible/testing';

/** Lets a program take what an earlier one has compiled: it starts in half the time. */
export const compileCache = { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '' };

const main = resolve(import.meta.dirname, '../src/main.ts');
const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`;

/** The folder in which commands run, and only the given variables. */
export type Surroundings = { readonly folder: string; readonly environment?: Readonly<Record<string, string>> };

/** Starts `indelible` as a process of its own. */
export const startCommand = (words: readonly string[], { folder, environment }: Surroundings) =>
  spawn(process.execPath, [main, ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...compileCache, ...environment },
  });

/** Runs a command to its end. */
export async function runCommand(words: readonly string[], surroundings: Surroundings) {
  const child = startCommand(words, surroundings);
  const [out, err, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((settle, fail) => void child.once('error', fail).once('close', settle)),
  ]);
  return { code, out, err };
}

/** A node of chain 31337 whose contract knows no address yet, and answers the queries for grants in turn, the last answer for ever. */
export async function stubChain(grants: readonly boolean[]) {
  let asked = 0;
  const answers: Record<string, (params: readonly [{ readonly data: string }]) => string> = {
    eth_chainId: () => '0x7a69',
    eth_getCode: () => '0x60',
    eth_call: ([{ data }]) =>
      data.startsWith(functionSelectors.nonces)
        ? word(0)
        : word(grants[Math.min(asked++, grants.length - 1)] === true ? 1 : 0),
  };
  const server = createServer(async (request, response) => {
    const { id, method, params } = JSON.parse(Buffer.concat(await request.toArray()).toString()) as {
      id: number;
      method: string;
      params: readonly [{ readonly data: string }];
    };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method]?.(params) }));
  });
  await listen(server, '127.0.0.1', 0);
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    asked: () => asked,
    async stop() {
      server.closeAllConnections();
      await closeServer(server);
    },
  };
}

/** A folder as a local start leaves it: connection file, seed, migrated database. */
export async function localStart() {
  const migrateAccounts = (url: string) => migrate({ url, schema: accountsSchema, migrations: accountsMigrations });
  const template = migratedTemplate(accountsSchema, accountsMigrations, migrateAccounts);
  const database = await testDatabase({ template });
  const folder = await mkdtemp(join(tmpdir(), 'indelible-cli-'));
  await mkdir(join(folder, '.local', 'secrets'), { recursive: true });
  await writeFile(join(folder, '.local', 'secrets', 'custody.seed'), `${'09'.repeat(32)}\n`, { mode: 0o600 });
  return {
    database,
    folder,
    connect: (rpcUrl: string, changes: Readonly<Record<string, unknown>> = {}) =>
      writeFile(
        join(folder, '.local', 'connection.json'),
        JSON.stringify({
          databaseUrl: database.url,
          rpcUrl,
          contractAddress: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
          chainId: 31337,
          operatorAddress: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
          ...changes,
        }),
      ),
    async dispose() {
      await rm(folder, { recursive: true });
      await database.drop();
    },
  };
}
