import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';

/** How a command ended and what it wrote to both streams, of which at most the last megabyte is kept. */
export interface CommandResult {
  readonly code: number | null;
  readonly output: string;
}

const KEPT_CHARACTERS = 1_000_000;

/**
 * Runs a script of a package.json as pnpm would: by the shell, in the package's folder, with the programs of its `binFolders` and
 * the workspace's Node before all others. Rejects if it cannot be started; aborting ends it with SIGTERM.
 */
export function runScript(
  script: string,
  options: { cwd: string; binFolders: readonly string[]; signal: AbortSignal },
): Promise<CommandResult> {
  const path = [...options.binFolders, process.env.PATH ?? ''].join(delimiter);
  return new Promise((resolve, reject) => {
    let output = '';
    const child = spawn(script, {
      cwd: options.cwd,
      signal: options.signal,
      shell: true,
      env: { ...process.env, PATH: path, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const take = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-KEPT_CHARACTERS);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}

/** The folder of a package's programs. */
export function binFolder(packageFolder: string): string {
  return join(packageFolder, 'node_modules', '.bin');
}
