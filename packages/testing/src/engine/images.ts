import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { InfrastructureError, runStep, type ToolEnvironment } from '@indelible/launcher/servers';
import { WORKSPACE } from '../environment.ts';
import { printStep } from '../print-step.ts';
import type { DockerEngine } from './docker-engine.ts';
import { type Standin, standins } from './standins.ts';

const execute = promisify(execFile);
const FOLDER = join(import.meta.dirname, '..', 'standin');
const LABEL = 'indelible.standin';
const BUILD_MS = 20 * 60_000;

/** The image of the product, as deploy/README.md builds it. */
export const PRODUCT_IMAGE = 'indelible:local';

/** Builds outdated stand-ins; the first time some two minutes. Needs our own engine, for building. */
export const buildStandins = (engine: DockerEngine, tools: ToolEnvironment, signal: AbortSignal): Promise<void> =>
  buildUpTo(standins.length, engine, tools, signal);

/** Builds the stand-ins below the product's image. */
export const buildBase = (engine: DockerEngine, tools: ToolEnvironment, signal: AbortSignal): Promise<void> =>
  buildUpTo(standins.findIndex(({ dockerfile }) => dockerfile === 'node') + 1, engine, tools, signal);

async function buildUpTo(
  count: number,
  engine: DockerEngine,
  tools: ToolEnvironment,
  signal: AbortSignal,
): Promise<void> {
  // all build on the first
  let hash = '';
  for (const standin of standins.slice(0, count)) {
    hash = await contentOf(standin, hash);
    if ((await labelOf(engine, tools, standin.image)) === hash) continue;
    await runStep(printStep, 'stand-in', async () => {
      await build(engine, tools, signal, standin, hash);
      return { value: undefined, detail: standin.image };
    });
  }
}

/** Builds deploy/Dockerfile: what is unchanged comes from the engine's cache. */
export async function buildProduct(engine: DockerEngine, tools: ToolEnvironment, signal: AbortSignal): Promise<void> {
  await runStep(printStep, 'image', async () => {
    const args = ['build', '--file', 'deploy/Dockerfile', '--tag', PRODUCT_IMAGE];
    await docker(engine, tools, signal, [...args, ...(engine.kind === 'ours' ? ['--network', 'host'] : []), '.']);
    return { value: undefined, detail: PRODUCT_IMAGE };
  });
}

async function contentOf(standin: Standin, before: string): Promise<string> {
  const hash = createHash('sha256').update(before).update(process.version);
  for (const file of [`${standin.dockerfile}.Dockerfile`, ...standin.files])
    hash.update(await readFile(join(FOLDER, file)));
  return hash.update(await readFile(join(import.meta.dirname, 'standins.ts'))).digest('hex');
}

async function labelOf(engine: DockerEngine, tools: ToolEnvironment, image: string): Promise<string | undefined> {
  const args = ['image', 'inspect', '--format', `{{index .Config.Labels "${LABEL}"}}`, image];
  const options = { env: { ...tools.all, ...engine.env } };
  return execute('docker', args, options).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
}

async function build(
  engine: DockerEngine,
  tools: ToolEnvironment,
  signal: AbortSignal,
  standin: Standin,
  hash: string,
): Promise<void> {
  const parent = join(WORKSPACE, '.local', 'tools');
  await mkdir(parent, { recursive: true });
  const context = await mkdtemp(join(parent, '.standin-'));
  try {
    const options = { cwd: context, env: tools.all, signal, timeout: BUILD_MS, maxBuffer: 16_000_000 };
    await standin
      .provide(
        context,
        async (program, args) => {
          await execute(program, args, options);
        },
        tools,
        signal,
      )
      .catch((cause: unknown) => {
        throw failed(`The parts of the image ${standin.image} could not be provided`, cause);
      });
    for (const file of standin.files) await cp(join(FOLDER, file), join(context, file));
    const dockerfile = join(FOLDER, `${standin.dockerfile}.Dockerfile`);
    const args = ['build', '--file', dockerfile, '--label', `${LABEL}=${hash}`, '--tag', standin.image, context];
    await docker(engine, tools, signal, args);
  } finally {
    await rm(context, { recursive: true, force: true });
  }
}

async function docker(
  engine: DockerEngine,
  tools: ToolEnvironment,
  signal: AbortSignal,
  args: readonly string[],
): Promise<void> {
  // our engine has no BuildKit: use its own builder
  const env = { ...tools.all, ...engine.env, ...(engine.kind === 'ours' ? { DOCKER_BUILDKIT: '0' } : {}) };
  await execute('docker', args, { cwd: WORKSPACE, env, signal, timeout: BUILD_MS, maxBuffer: 64_000_000 }).catch(
    (cause: unknown) => {
      throw failed(`docker ${args[0]} failed`, cause);
    },
  );
}

function failed(message: string, cause: unknown): InfrastructureError {
  const { stderr, stdout, message: text } = cause as { stderr?: string; stdout?: string; message?: string };
  const lastLines = (`${stdout ?? ''}\n${stderr ?? ''}`.trim() || text || '').split('\n').slice(-8);
  return new InfrastructureError(message, 'its last lines say why', { lastLines, cause });
}
