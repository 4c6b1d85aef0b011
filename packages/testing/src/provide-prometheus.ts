import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
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

const DOWNLOAD_MS = 5 * 60_000;
const FOLDER = join(WORKSPACE, '.local', 'tools', 'prometheus');
/** Of Debian and Ubuntu; promtool is in it. */
const PACKAGE = 'prometheus';
const REMEDY = 'install Prometheus with promtool (both on PATH), then start again';

/** Where the programs are. */
export type Prometheus = { readonly promtool: string; readonly prometheus: string };

/**
 * Prometheus and promtool: those on PATH, else those of Debian's package, which is unpacked under `.local` and not
 * installed: no root is needed, and no service starts. Throws {@link InfrastructureError} where there are neither.
 */
export async function providePrometheus(
  tools: ToolEnvironment,
  signal: AbortSignal,
  folder: string = FOLDER,
): Promise<Prometheus> {
  const onPath = await findOnPath(tools);
  if (onPath !== undefined) return onPath;
  const bin = join(folder, 'usr', 'bin');
  const unpacked = {
    promtool: join(bin, 'promtool'),
    prometheus: join(bin, 'prometheus'),
  };
  if (await exists(folder)) return unpacked;
  if ((await findProgram(['apt-get'], tools.path)) === undefined)
    throw new InfrastructureError('No Prometheus on PATH, and no apt-get to download it', REMEDY);
  await mkdir(dirname(folder), { recursive: true });
  const lock = await waitUntil(() => lockDirectory(`${folder}.lock`), {
    timeoutMs: DOWNLOAD_MS,
    intervalMs: 500,
    signal,
  });
  try {
    if (!(await exists(folder)))
      await runStep(printStep, 'prometheus', async () => {
        await unpack(folder, tools, signal);
        return { value: undefined, detail: bin };
      });
    return unpacked;
  } finally {
    await lock.release();
  }
}

async function findOnPath(tools: ToolEnvironment): Promise<Prometheus | undefined> {
  const promtool = await findProgram(['promtool'], tools.path);
  const prometheus = await findProgram(['prometheus'], tools.path);
  return promtool === undefined || prometheus === undefined ? undefined : { promtool, prometheus };
}

/** The folder gets its name only when complete. */
async function unpack(folder: string, tools: ToolEnvironment, signal: AbortSignal): Promise<void> {
  const work = await mkdtemp(`${folder}-`);
  try {
    const options = { cwd: work, env: tools.all, signal, timeout: DOWNLOAD_MS, maxBuffer: 8_000_000 };
    await run('apt-get', ['download', PACKAGE], options);
    const root = join(work, 'root');
    for (const file of (await readdir(work)).filter((name) => name.endsWith('.deb')))
      await run('dpkg-deb', ['--extract', file, root], options);
    await rename(root, folder);
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message?: string };
    const lastLines = (stderr || message || '').trimEnd().split('\n').slice(-6);
    const remedy = `run \`apt-get update\` as root if its lists are old, or ${REMEDY}`;
    throw new InfrastructureError('apt-get could not download Prometheus', remedy, { lastLines, cause: error });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
