import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { InfrastructureError, type Server, type Supervisor, waitUntil } from '@indelible/launcher/servers';
import { WORKSPACE } from '../environment.ts';

const run = promisify(execFile);
const START_MS = 10_000;

/** A program in its own namespaces, with all that it starts. */
export type Apart = {
  /** Prefix of a command that is to run inside. */
  readonly enter: readonly string[];
  readonly server: Server;
  /** Ends the program gracefully within `timeoutMs`, then whatever it left in its namespaces. */
  stop(timeoutMs: number): Promise<void>;
};

/**
 * Runs a shell script in its own network, mount and process namespaces: its rules, mounts and ports are private, and
 * everything inside ends with its first process. `network: 'machine'` keeps the machine's network.
 */
export async function startApart(
  supervisor: Supervisor,
  options: {
    readonly name: string;
    readonly script: string;
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly network: 'own' | 'machine';
  },
): Promise<Apart> {
  const network = options.network === 'own' ? ['--net'] : [];
  const server = await supervisor.start({
    name: options.name,
    command: 'unshare',
    args: [...network, '--mount', '--pid', '--fork', '--kill-child', '--mount-proc', 'bash', '-euc', options.script],
    cwd: options.cwd,
    env: options.env,
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 1_000,
  });
  const first = await waitUntil(() => firstChild(server.pid), {
    timeoutMs: START_MS,
    intervalMs: 20,
    signal: AbortSignal.timeout(START_MS),
  }).catch(async () => {
    throw new InfrastructureError(`${options.name} could not be started`, 'its last lines say why', {
      lastLines: await server.lastLines(),
    });
  });
  return {
    enter: ['nsenter', `--target=${first}`, ...network, '--mount', '--pid', `--wdns=${WORKSPACE}`, '--'],
    server,
    async stop(timeoutMs) {
      kill(first, 'SIGTERM');
      const timeout = AbortSignal.timeout(timeoutMs);
      await Promise.race([server.exited, new Promise((resolve) => timeout.addEventListener('abort', resolve))]);
      kill(first, 'SIGKILL');
      await server.stop();
    },
  };
}

async function firstChild(pid: number): Promise<number> {
  const { stdout } = await run('pgrep', ['--parent', String(pid)]);
  const child = Number(stdout.trim());
  // its namespaces are there once it is the shell
  const name = await readFile(`/proc/${child}/comm`, 'utf8');
  if (name.trim() === 'unshare') throw new Error('not started yet');
  return child;
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it has ended
  }
}
