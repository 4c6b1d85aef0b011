import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { WORKSPACE } from '../environment.ts';

const mostOutput = 64 * 1024 * 1024;

/** What a run of pnpm wrote, however it ended. */
export type PnpmResult = { readonly code: number; readonly out: string; readonly err: string };

/** Runs the pnpm that package.json pins, which the bootstrap has installed. */
export async function runPnpm(words: readonly string[], signal: AbortSignal): Promise<PnpmResult> {
  const { packageManager } = JSON.parse(await readFile(join(WORKSPACE, 'package.json'), 'utf8')) as {
    packageManager: string;
  };
  const entry = join(WORKSPACE, '.local', 'tools', packageManager.replace('@', '-'), 'node_modules/pnpm/bin/pnpm.mjs');
  const options = { cwd: WORKSPACE, signal, maxBuffer: mostOutput, env: { ...process.env, CI: 'true' } };
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [entry, ...words], options);
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: unknown; stdout?: string; stderr?: string };
    if (typeof code !== 'number') throw error;
    return { code, out: stdout, err: stderr };
  }
}
