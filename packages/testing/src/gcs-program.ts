import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  dockerAnswers,
  findProgram,
  InfrastructureError,
  lockDirectory,
  type ToolEnvironment,
  waitUntil,
} from '@indelible/launcher/servers';
import { WORKSPACE } from './environment.ts';

const run = promisify(execFile);

/** The release of fake-gcs-server, for its Go module and for its image. */
export const GCS_SERVER_VERSION = '1.56.1';
const MODULE = `github.com/fsouza/fake-gcs-server@v${GCS_SERVER_VERSION}`;
const FOLDER = join(WORKSPACE, '.local', 'downloads', 'go-bin');
const PROGRAM = join(FOLDER, `fake-gcs-server-${GCS_SERVER_VERSION}`);
/** Not optimized, no symbols: builds in three quarters of the time. */
const QUICK_BUILD = ['-gcflags=all=-N -l', '-ldflags=-s -w'];
const BUILD_MS = 10 * 60_000;

/** How Google Cloud Storage can be emulated here: by a program, a container, or only our own emulator. */
export type GcsProvider =
  | { readonly kind: 'program'; readonly program: string }
  | { readonly kind: 'docker' }
  | {
      readonly kind: 'emulator';
      /** Why, and what to install for fake-gcs-server: one line. */
      readonly note: string;
    };

/**
 * The emulator built before, else built now with Go (a minute or two, once per machine), else a container's. It is published
 * as a Go module and as an image only; no npm or Maven package carries it. So a machine with neither Go nor a Docker engine
 * gets the emulator of our own.
 * Throws {@link InfrastructureError} when Go is here and cannot build it.
 */
export async function provideGcsServer(
  tools: ToolEnvironment,
  folder: { readonly directory: string; readonly program: string } = { directory: FOLDER, program: PROGRAM },
): Promise<GcsProvider> {
  if (await exists(folder.program)) return { kind: 'program', program: folder.program };
  const go = await findProgram(['go'], tools.path);
  if (go !== undefined) return { kind: 'program', program: await build(go, tools, folder) };
  if (await dockerAnswers(tools)) return { kind: 'docker' };
  const note = 'Google Cloud Storage: by our own emulator; for fake-gcs-server install Go, or start a Docker engine';
  return { kind: 'emulator', note };
}

/** Builds under a lock, so that test files running side by side build once; the program gets its name when complete. */
async function build(
  go: string,
  tools: ToolEnvironment,
  folder: { readonly directory: string; readonly program: string },
): Promise<string> {
  await mkdir(folder.directory, { recursive: true });
  const lock = await waitUntil(() => lockDirectory(join(folder.directory, '.building')), {
    timeoutMs: BUILD_MS,
    intervalMs: 500,
    signal: AbortSignal.timeout(BUILD_MS),
  });
  try {
    if (await exists(folder.program)) return folder.program;
    const work = await mkdtemp(join(folder.directory, '.out-'));
    try {
      await run(go, ['install', ...QUICK_BUILD, MODULE], {
        cwd: work,
        env: { ...tools.all, GOBIN: work, CGO_ENABLED: '0' },
        timeout: BUILD_MS,
        maxBuffer: 8_000_000,
      });
      await rename(join(work, 'fake-gcs-server'), folder.program);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
    return folder.program;
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message?: string };
    throw new InfrastructureError(
      `Go could not build ${MODULE}`,
      'check that `go install` reaches a module proxy (`go env GOPROXY`), then start again',
      { lastLines: (stderr || message || '').trimEnd().split('\n').slice(-6), retryable: true, cause: error },
    );
  } finally {
    await lock.release();
  }
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
