import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runStep, type ToolEnvironment } from '@indelible/local-infrastructure';
import { startDockerEngine } from '../engine/docker-engine.ts';
import { buildProduct, buildStandins, PRODUCT_IMAGE } from '../engine/images.ts';
import { standins } from '../engine/standins.ts';
import { WORKSPACE } from '../environment.ts';
import { printStep } from '../print-step.ts';

const execute = promisify(execFile);
const FOLDER = join(WORKSPACE, '.local', 'images');
const SAVE_MS = 10 * 60_000;
/** A second name of the product's image: what an upgrade changes to. */
export const NEXT_IMAGE = 'indelible:next';

/** What a node needs for the services, and further what it needs for the servers of a trial. */
const pause = 'indelible-standin/root';
const servers = standins.map(({ image }) => image).filter((image) => !image.startsWith('node:') && image !== pause);
const sets = {
  all: [pause, PRODUCT_IMAGE, NEXT_IMAGE, ...servers],
  services: [pause, PRODUCT_IMAGE, NEXT_IMAGE],
} as const;

/** Builds the product's image and the servers' stand-ins, and returns an archive for each set. What is unchanged is built and saved once. */
export async function provideImages(
  tools: ToolEnvironment,
  signal: AbortSignal,
): Promise<Readonly<Record<keyof typeof sets, string>>> {
  const engine = await startDockerEngine(tools, signal, 'build');
  try {
    await buildStandins(engine, tools, signal);
    await buildProduct(engine, tools, signal);
    const env = { ...tools.all, ...engine.env };
    const docker = async (...args: readonly string[]) =>
      (await execute('docker', args, { env, signal, timeout: SAVE_MS })).stdout;
    await docker('tag', PRODUCT_IMAGE, NEXT_IMAGE);
    const save = async (set: keyof typeof sets): Promise<string> => {
      const images = sets[set];
      const ids = await docker('image', 'inspect', '--format', '{{.Id}}', ...images);
      const name = `${set}-${createHash('sha256').update(ids).digest('hex').slice(0, 16)}.tar`;
      const file = join(FOLDER, name);
      if (await exists(file)) return file;
      await mkdir(FOLDER, { recursive: true });
      for (const old of await readdir(FOLDER)) if (old.startsWith(`${set}-`)) await rm(join(FOLDER, old));
      await runStep(printStep, 'archive', async () => {
        await docker('save', '--output', `${file}.part`, ...images);
        await rename(`${file}.part`, file);
        return { value: undefined, detail: `${images.length} images` };
      });
      return file;
    };
    return { all: await save('all'), services: await save('services') };
  } finally {
    await engine.stop();
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
