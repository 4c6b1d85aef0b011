import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runStep, type ToolEnvironment } from '@indelible/launcher/servers';
import { startDockerEngine } from '../engine/docker-engine.ts';
import { buildProduct, buildStandins, PRODUCT_IMAGE } from '../engine/images.ts';
import { standins } from '../engine/standins.ts';
import { WORKSPACE } from '../environment.ts';
import { printStep } from '../print-step.ts';

const execute = promisify(execFile);
const FOLDER = join(WORKSPACE, '.local', 'images');
const SAVE_MS = 10 * 60_000;
/** A second name of the product's image: what an upgrade changes to. */
const NEXT_IMAGE = 'indelible:next';

const PAUSE = 'indelible-standin/root';
const servers = standins.map(({ image }) => image).filter((image) => !image.startsWith('node:') && image !== PAUSE);
const images = [PAUSE, PRODUCT_IMAGE, NEXT_IMAGE, ...servers];

/** Builds the product's image and the servers' stand-ins, and returns an archive of all. What is unchanged is built and saved once. */
export async function provideImages(tools: ToolEnvironment, signal: AbortSignal): Promise<string> {
  const engine = await startDockerEngine(tools, signal, 'build');
  try {
    await buildStandins(engine, tools, signal);
    await buildProduct(engine, tools, signal);
    const env = { ...tools.all, ...engine.env };
    const docker = async (...args: readonly string[]) =>
      (await execute('docker', args, { env, signal, timeout: SAVE_MS })).stdout;
    await docker('tag', PRODUCT_IMAGE, NEXT_IMAGE);
    const ids = await docker('image', 'inspect', '--format', '{{.Id}}', ...images);
    const name = `${createHash('sha256').update(ids).digest('hex').slice(0, 16)}.tar`;
    const file = join(FOLDER, name);
    if (await exists(file)) return file;
    await rm(FOLDER, { recursive: true, force: true });
    await mkdir(FOLDER, { recursive: true });
    await runStep(printStep, 'archive', async () => {
      await docker('save', '--output', `${file}.part`, ...images);
      await rename(`${file}.part`, file);
      return { value: undefined, detail: `${images.length} images` };
    });
    return file;
  } finally {
    await engine.stop();
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
