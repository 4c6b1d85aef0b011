import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
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

const execute = promisify(execFile);
const TOOLS = join(WORKSPACE, '.local', 'tools');
// a guard against hangs: the largest takes ten minutes of CPU, of which a busy machine gives little
const BUILD_MS = 60 * 60_000;

/** Runs a program in the folder of a tool being built. */
export type RunTool = (
  program: string,
  args: readonly string[],
  environment?: Readonly<Record<string, string>>,
) => Promise<void>;

/**
 * The folder `.local/tools/NAME-VERSION`, made once by `make` under a lock; it gets its name when complete.
 * @param needs programs that `make` runs, by what to install for them
 * @throws InfrastructureError that says what is missing, or the last lines of what failed
 */
export async function provideTool(
  tools: ToolEnvironment,
  signal: AbortSignal,
  tool: {
    readonly name: string;
    readonly version: string;
    readonly needs: Readonly<Record<string, string>>;
    readonly make: (run: RunTool, folder: string) => Promise<void>;
  },
): Promise<string> {
  const folder = join(TOOLS, `${tool.name}-${tool.version}`);
  const isMade = () =>
    access(folder).then(
      () => true,
      () => false,
    );
  if (await isMade()) return folder;
  for (const [program, remedy] of Object.entries(tool.needs))
    if ((await findProgram([program], tools.path)) === undefined)
      throw new InfrastructureError(`${tool.name} cannot be provided: no ${program} on PATH`, remedy);
  await mkdir(TOOLS, { recursive: true });
  const lock = await waitUntil(() => lockDirectory(join(TOOLS, `.making-${tool.name}`)), {
    timeoutMs: BUILD_MS,
    intervalMs: 500,
    signal,
  });
  try {
    if (await isMade()) return folder;
    const work = await mkdtemp(join(TOOLS, `.${tool.name}-`));
    const run: RunTool = async (program, args, environment = {}) => {
      const env = { ...tools.all, ...environment };
      await execute(program, args, { cwd: work, env, signal, timeout: BUILD_MS, maxBuffer: 16_000_000 });
    };
    try {
      await runStep(printStep, tool.name, async () => {
        await tool.make(run, work).catch((error: { stderr?: string; message?: string }) => {
          const lastLines = (error.stderr || error.message || '').trimEnd().split('\n').slice(-6);
          const remedy = 'check that Go and pip reach their registries, then start again';
          throw new InfrastructureError(`${tool.name} could not be provided`, remedy, { lastLines, cause: error });
        });
        return { value: undefined, detail: tool.version };
      });
      await rename(work, folder);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
    return folder;
  } finally {
    await lock.release();
  }
}
