import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { fixedPort } from '@indelible/testing';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../../..');

export type Container = {
  readonly service: string;
  readonly name: string;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly running: boolean;
  readonly exitCode: number;
  readonly health: string | undefined;
  readonly restarts: number;
};
export type Compose = Awaited<ReturnType<typeof prepareCompose>>;

/** Compose as deploy/README.md sets it up: `deploy/compose.env` copied, each empty value replaced; as a project of its own on free ports. */
export async function prepareCompose() {
  const folder = await mkdtemp(join(tmpdir(), 'indelible-compose-'));
  const example = await readFile(join(root, 'deploy', 'compose.env'), 'utf8');
  const port = await fixedPort();
  const ports = await Promise.all(['POSTGRES', 'KAFKA', 'REGISTRY', 'REDIS', 'ANVIL'].map(withPort));
  const values = example
    .replace(
      /^INDELIBLE_WEBHOOK_SEALING_KEYS=$/m,
      `INDELIBLE_WEBHOOK_SEALING_KEYS=main:${randomBytes(32).toString('base64')}`,
    )
    .replace(/^(\w+)=$/gm, (_line, name) => `${name}=${randomBytes(24).toString('hex')}`)
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`);
  const file = join(folder, 'env');
  await writeFile(file, [values, ...ports, ''].join('\n'), { mode: 0o600 });
  const env = {
    ...process.env,
    COMPOSE_ENV_FILES: file,
    COMPOSE_PROJECT_NAME: `indelible-test-${process.pid}`,
    COMPOSE_PROGRESS: 'quiet',
  };

  /** Output of a `docker` command; an error has the end of its output. */
  const docker = async (...args: readonly string[]): Promise<string> => {
    const options = { cwd: root, env, maxBuffer: 64_000_000, timeout: 9 * 60_000 };
    try {
      return (await run('docker', args, options)).stdout;
    } catch (error) {
      const { stdout, stderr, code } = error as { stdout: string; stderr: string; code: number };
      throw new Error(`docker ${args.join(' ')} ended with ${code}:\n${`${stdout}\n${stderr}`.slice(-4_000)}`);
    }
  };
  /** An error of a start has the end of its containers' output. */
  const compose = async (...args: readonly string[]): Promise<string> => {
    try {
      return await docker('compose', ...args);
    } catch (error) {
      if (args[0] !== 'up') throw error;
      const logs = await docker('compose', 'logs', '--tail', '8', '--no-color').catch(() => '');
      throw new Error(`${(error as Error).message}\n${logs.slice(-8_000)}`, { cause: error });
    }
  };

  return {
    url: `http://127.0.0.1:${port}`,
    docker,
    compose,
    async containers(): Promise<readonly Container[]> {
      const ids = (await compose('ps', '--all', '--quiet')).trim().split('\n').filter(Boolean);
      const found = JSON.parse(await docker('inspect', ...ids)) as Inspected[];
      return found.map(({ Name, Config, State, RestartCount }) => ({
        service: Config.Labels['com.docker.compose.service'] ?? '',
        name: Name.slice(1),
        startedAt: Date.parse(State.StartedAt),
        finishedAt: Date.parse(State.FinishedAt),
        running: State.Running,
        exitCode: State.ExitCode,
        health: State.Health?.Status,
        restarts: RestartCount,
      }));
    },
    async removeAll() {
      await compose('down', '--volumes', '--timeout', '5', '--remove-orphans');
      await rm(folder, { recursive: true });
    },
  };
}

async function withPort(server: string): Promise<string> {
  return `INDELIBLE_${server}_PORT=${await fixedPort()}`;
}

type Inspected = {
  readonly Name: string;
  readonly RestartCount: number;
  readonly Config: { readonly Labels: Readonly<Record<string, string>> };
  readonly State: {
    readonly StartedAt: string;
    readonly FinishedAt: string;
    readonly Running: boolean;
    readonly ExitCode: number;
    readonly Health?: { readonly Status: string };
  };
};
