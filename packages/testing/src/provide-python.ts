import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  findProgram,
  InfrastructureError,
  lockDirectory,
  runStep,
  type ToolEnvironment,
  waitUntil,
} from '@indelible/launcher/servers';
import { WORKSPACE } from './environment.ts';
import { printStep } from './print-step.ts';

const run = promisify(execFile);

const INSTALL_MS = 10 * 60_000;
const VERSION = 'import sys; print("%d.%d" % sys.version_info[:2])';
const NEEDED = 'Python 3.10 or later with venv';

/** Where the Python of the tests is, and what is installed for it. */
export interface PythonPlaces {
  readonly directory: string;
  readonly requirements: string;
}

const PLACES: PythonPlaces = {
  directory: join(WORKSPACE, '.local', 'python'),
  requirements: join(WORKSPACE, 'docs', 'examples', 'python', 'requirements.txt'),
};

/**
 * The Python of an environment that has the packages of the examples, made once for each change of their list. pip takes its
 * settings from the user's environment. Throws {@link InfrastructureError} where there is no suitable Python, or no package index.
 */
export async function providePython(
  tools: ToolEnvironment,
  signal: AbortSignal,
  { directory, requirements }: PythonPlaces = PLACES,
): Promise<string> {
  const { program, version } = await findPython(tools);
  const wanted = createHash('sha256')
    .update(`${program} ${version}\n`)
    .update(await readFile(requirements))
    .digest('hex');
  const python = join(directory, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  const ready = join(directory, 'ready');
  const isReady = async () => (await readFile(ready, 'utf8').catch(() => '')) === wanted;
  if (await isReady()) return python;
  const lock = await waitUntil(() => lockDirectory(`${directory}.lock`), {
    timeoutMs: INSTALL_MS,
    intervalMs: 500,
    signal,
  });
  try {
    if (await isReady()) return python;
    await runStep(printStep, 'python', async () => {
      const options = { env: tools.all, signal, timeout: INSTALL_MS, maxBuffer: 8_000_000 };
      await rm(directory, { recursive: true, force: true });
      await run(program, ['-m', 'venv', directory], options).catch(
        failed(`${program} could not make a virtual environment`, `install ${NEEDED}, then start again`),
      );
      await run(python, ['-m', 'pip', 'install', '--quiet', '--requirement', requirements], options).catch(
        failed(
          'pip could not install the packages of the examples',
          'check that pip reaches its package index, then start again',
        ),
      );
      await writeFile(ready, wanted);
      return { value: undefined, detail: `${version} with the packages of the examples` };
    });
    return python;
  } finally {
    await lock.release();
  }
}

async function findPython(tools: ToolEnvironment): Promise<{ program: string; version: string }> {
  for (const name of ['python3', 'python']) {
    const program = await findProgram([name], tools.path);
    if (program === undefined) continue;
    const { stdout } = await run(program, ['-c', VERSION], { env: tools.all }).catch(() => ({ stdout: '' }));
    const [major = 0, minor = 0] = stdout.trim().split('.').map(Number);
    if (major === 3 && minor >= 10) return { program, version: stdout.trim() };
  }
  throw new InfrastructureError(`No ${NEEDED} on PATH`, 'install it, then start again');
}

const failed =
  (message: string, remedy: string) =>
  (error: { stderr?: string; message?: string }): never => {
    const lastLines = (error.stderr || error.message || '').trimEnd().split('\n').slice(-6);
    throw new InfrastructureError(message, remedy, { lastLines, cause: error });
  };
