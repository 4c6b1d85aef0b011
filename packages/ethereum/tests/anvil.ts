import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

/** A chain of this test file: id 31337, mnemonic of twelve words `test … junk`, a free port. */
export type Anvil = { readonly url: string; stop(): Promise<void> };

/**
 * @param options anvil's own; without `--block-time` each transaction makes a block
 * @param port of a chain that was stopped, to take its place
 */
export async function startAnvil(options: readonly string[] = [], port = '0'): Promise<Anvil> {
  const child = spawn(anvilBinary(), ['--host', '127.0.0.1', '--port', port, ...options], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const url = await listeningUrl(child);
  return {
    url,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/** The binary itself: the package's own starter would stand between us and the process. */
function anvilBinary(): string {
  const starter = createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json');
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  return createRequire(starter).resolve(`@foundry-rs/anvil-${process.platform}-${architecture}/bin/anvil`);
}

async function listeningUrl(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('anvil has no output');
  for await (const line of createInterface({ input: child.stdout })) {
    const address = /^Listening on (\S+)/.exec(line)?.[1];
    if (address !== undefined) {
      child.stdout.resume();
      return `http://${address}`;
    }
  }
  throw new Error(`anvil ended with code ${child.exitCode} before it listened`);
}
