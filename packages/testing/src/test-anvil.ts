import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  anyFreePort,
  callRpc,
  chainAnswers,
  DEVELOPMENT_CHAIN_ID,
  findAnvil,
  lockDirectory,
  readToolEnvironment,
  type Server,
  Supervisor,
  serverEnvironment,
  startAnvil,
  waitUntil,
} from '@indelible/launcher/servers';
import { removeAbandoned } from './abandoned.ts';
import { TEST_FOLDER } from './environment.ts';

/** A chain of one test file's own. Its ten accounts are those of Ethereum's well-known development mnemonic, with 10,000 ETH each. */
export interface TestAnvil {
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly chainId: number;
  /** To pause or kill the chain. */
  readonly pid: number;
  /** One JSON-RPC call; throws with the error's message and code. */
  request<T = unknown>(method: string, params?: readonly unknown[]): Promise<T>;
  /** Appends blocks. */
  mine(blocks?: number): Promise<void>;
  /** Replaces the newest `depth` blocks by as many empty ones: their transactions are gone. */
  reorg(depth: number): Promise<void>;
  stop(): Promise<void>;
}

/** When blocks come: for each transaction (the default), every so many seconds, or (`automine: false`) by `mine` alone. */
export interface TestAnvilOptions {
  readonly blockTimeSeconds?: number;
  readonly automine?: boolean;
}

/** Starts a fresh chain; `stop` it in afterAll. One left behind by a killed test run is ended by the next. */
export async function testAnvil(options: TestAnvilOptions = {}): Promise<TestAnvil> {
  await removeAbandoned();
  const dataDir = join(TEST_FOLDER, `anvil-${process.pid}-${randomBytes(4).toString('hex')}`);
  await lockDirectory(dataDir);
  const { server, rpcUrl } = await start(dataDir, options);
  const request = <T>(method: string, params: readonly unknown[] = []) =>
    callRpc<T>(rpcUrl, method, params, AbortSignal.timeout(30_000));
  return {
    rpcUrl,
    wsUrl: rpcUrl.replace('http', 'ws'),
    chainId: DEVELOPMENT_CHAIN_ID,
    pid: server.pid,
    request,
    mine: async (blocks = 1) => {
      await request('anvil_mine', [`0x${blocks.toString(16)}`]);
    },
    reorg: async (depth) => {
      await request('anvil_reorg', [depth, []]);
    },
    stop: async () => {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** If the port is taken before the listen, another is tried. */
async function start(dataDir: string, options: TestAnvilOptions): Promise<{ server: Server; rpcUrl: string }> {
  const blockTimeSeconds = options.automine === false ? 'manual' : options.blockTimeSeconds;
  const program = await findAnvil();
  for (let attempt = 1; ; attempt += 1) {
    const port = await anyFreePort();
    const server = await startAnvil({
      program,
      dataDir,
      settings: { port, blockTimeSeconds, stateHistoryBlocks: undefined },
      supervisor: new Supervisor(dataDir),
      env: serverEnvironment(readToolEnvironment()),
    });
    const ended = new AbortController();
    void server.exited.then(() => ended.abort(new Error('anvil ended while starting')));
    const rpcUrl = `http://127.0.0.1:${port}`;
    try {
      const check = (signal: AbortSignal) => chainAnswers(rpcUrl, signal);
      await waitUntil(check, { timeoutMs: 20_000, intervalMs: 25, signal: ended.signal });
      return { server, rpcUrl };
    } catch (error) {
      const lines = await server.lastLines();
      await server.stop();
      if (attempt === 3) throw new Error(`no chain could be started:\n${lines.join('\n')}`, { cause: error });
    }
  }
}
