import { mkdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { callRpc } from '@indelible/ethereum/local-chain';
import { makeExecutable } from '../servers/find-program.ts';
import { InfrastructureError } from '../servers/infrastructure-error.ts';
import { providePrivateFolder } from '../servers/private-folder.ts';
import type { Server, Supervisor } from '../servers/supervisor.ts';

/** Chain id of every development chain. */
export const DEVELOPMENT_CHAIN_ID = 31_337;
/** The mnemonic of all Ethereum tools for development accounts: its keys are public and worthless. */
const DEVELOPMENT_MNEMONIC = 'test test test test test test test test test test test junk';

/** How a development chain behaves. */
export interface AnvilSettings {
  readonly port: number;
  /** Seconds between blocks; undefined: a block for each transaction; 'manual': blocks only by RPC. */
  readonly blockTimeSeconds: number | 'manual' | undefined;
  /**
   * How many of the newest blocks can be read at their own state and replaced by `anvil_reorg`; undefined: some
   * thousands. Each older state is a file with the hashes of all blocks before it, gigabytes for some thousand blocks,
   * so a long-lived chain needs a bound. With one, blocks are final after 8 more, so that nobody notices the wait for
   * finality.
   */
  readonly stateHistoryBlocks: number | undefined;
}

/** Arguments of the anvil command. */
export function anvilArguments(settings: AnvilSettings): string[] {
  return [
    '--quiet',
    '--host',
    '127.0.0.1',
    '--port',
    String(settings.port),
    '--chain-id',
    String(DEVELOPMENT_CHAIN_ID),
    '--mnemonic',
    DEVELOPMENT_MNEMONIC,
    '--threads',
    '1',
    ...miningArguments(settings.blockTimeSeconds),
    ...(settings.stateHistoryBlocks === undefined
      ? []
      : ['--prune-history', String(settings.stateHistoryBlocks), '--slots-in-an-epoch', '4']),
    // a chain's blocks are restored in one request
    '--no-request-size-limit',
    // callers may set balances and replace blocks: keep browser pages out
    '--no-cors',
  ];
}

function miningArguments(blockTimeSeconds: AnvilSettings['blockTimeSeconds']): string[] {
  if (blockTimeSeconds === undefined) return [];
  return blockTimeSeconds === 'manual' ? ['--no-mining'] : ['--block-time', String(blockTimeSeconds)];
}

/** The program that came with the npm package for this system. Throws {@link InfrastructureError} if there is none. */
export async function findAnvil(): Promise<string> {
  const systems: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
  const system = `${process.platform}-${systems[process.arch] ?? process.arch}`;
  const fromAnvil = createRequire(createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json'));
  try {
    const program = fromAnvil.resolve(`@foundry-rs/anvil-${system}/bin/anvil`);
    await makeExecutable(program);
    return program;
  } catch (error) {
    throw new InfrastructureError(
      `No development chain is at hand for ${system}`,
      'run pnpm install without --no-optional, or give RPC_URL',
      { cause: error },
    );
  }
}

/** Starts the chain. It does not answer yet: see {@link chainAnswers}. */
export async function startAnvil(options: {
  program: string;
  name?: string;
  dataDir: string;
  settings: AnvilSettings;
  supervisor: Supervisor;
  env: Readonly<Record<string, string>>;
}): Promise<Server> {
  await providePrivateFolder(options.dataDir);
  // anvil keeps old states in its home; a killed one leaves them
  await rm(join(options.dataDir, 'home'), { recursive: true, force: true });
  await mkdir(join(options.dataDir, 'home'), { recursive: true });
  return options.supervisor.start({
    name: options.name ?? 'anvil',
    command: options.program,
    args: anvilArguments(options.settings),
    cwd: options.dataDir,
    env: { ...options.env, HOME: join(options.dataDir, 'home'), TMPDIR: join(options.dataDir, 'home') },
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 15_000,
  });
}

/** Resolves with the chain's id when it answers `eth_chainId`; rejects otherwise. */
export async function chainAnswers(rpcUrl: string, signal: AbortSignal): Promise<number> {
  return Number(await callRpc<string>(rpcUrl, 'eth_chainId', [], signal));
}
