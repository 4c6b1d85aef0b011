import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

export interface Anvil {
  /** http URL of its JSON-RPC. */
  readonly url: string;
  stop(): Promise<void>;
}

const startDeadlineMs = 30_000;

/**
 * Blocks come by evm_mine only, so that a receipt is there when it is asked for. Gas is free and any address may send:
 * tests need keys for signatures alone.
 */
const options = [
  '--port',
  '0',
  '--hardfork',
  'osaka',
  '--no-mining',
  '--base-fee',
  '0',
  '--auto-impersonate',
  '--gas-limit',
  '20000000000',
];

/**
 * Anvil's own binary: its npm package puts a Node wrapper before it, and a wrapper that is killed would leave it behind.
 */
function anvilBinary(): string {
  const here = createRequire(import.meta.url);
  const wrapper = createRequire(here.resolve('@foundry-rs/anvil/package.json'));
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const name = process.platform === 'win32' ? 'anvil.exe' : 'anvil';
  return wrapper.resolve(`@foundry-rs/anvil-${process.platform}-${architecture}/bin/${name}`);
}

/** Starts anvil on a port that the system chooses, mining when asked to; ready when this resolves. */
export async function startAnvil(): Promise<Anvil> {
  const child = spawn(anvilBinary(), [...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const url = await listeningUrl(child, AbortSignal.timeout(startDeadlineMs));
    await chainId(url);
    return { url, stop: () => stop(child) };
  } catch (cause) {
    await stop(child);
    throw new Error('anvil did not start', { cause });
  }
}

/** Anvil prints the port it got; its later output is read and dropped, so that its pipe never fills. */
async function listeningUrl(child: ChildProcess, deadline: AbortSignal): Promise<string> {
  if (child.stdout === null) throw new Error('no standard output');
  const lines = createInterface({ input: child.stdout });
  const found = Promise.withResolvers<string>();
  lines.on('line', (line) => {
    const match = /^Listening on (\S+)/.exec(line);
    if (match?.[1] !== undefined) found.resolve(`http://${match[1]}`);
  });
  lines.on('close', () => found.reject(new Error('anvil ended')));
  child.on('error', found.reject);
  deadline.addEventListener('abort', () => found.reject(deadline.reason));
  return found.promise;
}

async function chainId(url: string): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  if (!answer.ok) throw new Error(`eth_chainId: HTTP ${answer.status}`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
