import { execFile } from 'node:child_process';
import { access, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
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

const MODULE = 'github.com/jaegertracing/jaeger';
const VERSION = '1.76.0';
const BUILD_MS = 60 * 60_000;

/**
 * Jaeger 2, a collector of OpenTelemetry with a store of traces to query: built once from its Go module, which takes
 * some six minutes of CPU. Its module file replaces others, so `go install` refuses it: it is built as a dependency of
 * a module with the same file. Throws {@link InfrastructureError} where there is no Go, or no module proxy.
 */
export async function provideJaeger(
  tools: ToolEnvironment,
  signal: AbortSignal,
  folder: string = join(WORKSPACE, '.local', 'tools'),
): Promise<string> {
  const directory = join(folder, `jaeger-${VERSION}`);
  const program = join(directory, 'jaeger');
  const isThere = () =>
    access(program).then(
      () => true,
      () => false,
    );
  if (await isThere()) return program;
  const go = await findProgram(['go'], tools.path);
  if (go === undefined) throw new InfrastructureError('No Go on PATH, which builds Jaeger', 'install Go 1.26 or later');
  await mkdir(folder, { recursive: true });
  const lock = await waitUntil(() => lockDirectory(`${directory}.lock`), {
    timeoutMs: BUILD_MS,
    intervalMs: 500,
    signal,
  });
  try {
    if (await isThere()) return program;
    await runStep(printStep, 'jaeger', async () => {
      await build(go, `${directory}.part`, { ...tools.all, CGO_ENABLED: '0', GOFLAGS: '-mod=mod' }, signal);
      await rename(`${directory}.part`, directory);
      return { value: undefined, detail: VERSION };
    });
    return program;
  } finally {
    await lock.release();
  }
}

async function build(go: string, directory: string, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  const options = { cwd: directory, env, signal, timeout: BUILD_MS, maxBuffer: 8_000_000 };
  try {
    // Outside of any module: this one's file is made from its output.
    const { stdout } = await run(go, ['mod', 'download', '-json', `${MODULE}@v${VERSION}`], {
      ...options,
      env: { ...env, GOFLAGS: '' },
    });
    const { Dir: source } = JSON.parse(stdout) as { Dir: string };
    const file = await readFile(join(source, 'go.mod'), 'utf8');
    await writeFile(join(directory, 'go.mod'), file.replace(/^module .*$/m, 'module localhost/jaeger'));
    // Content only: the cached file is read-only.
    await writeFile(join(directory, 'go.sum'), await readFile(join(source, 'go.sum')));
    await run(go, ['mod', 'edit', `-require=${MODULE}@v${VERSION}`], options);
    await run(go, ['build', '-trimpath', '-ldflags=-s', '-o', 'jaeger', `${MODULE}/cmd/jaeger`], options);
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message?: string };
    const lastLines = (stderr || message || '').trimEnd().split('\n').slice(-6);
    throw new InfrastructureError(
      'Go could not build Jaeger',
      'check that Go reaches its module proxy, then start again',
      {
        lastLines,
        cause: error,
      },
    );
  }
}
