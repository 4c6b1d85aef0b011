import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode } from './error-code.ts';
import { readLastLines } from './last-lines.ts';
import { parseIdentity } from './owner-lock.ts';
import { identifyProcess, isAlive, type ProcessIdentity } from './process-identity.ts';

/** A server to run. `stopSignal` ends it gracefully; after `stopTimeoutMs` its whole process group is killed. */
export interface ServerSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stopSignal: 'SIGTERM' | 'SIGINT';
  readonly stopTimeoutMs: number;
  /** OS user to run as; only root can change it. */
  readonly user?: { readonly uid: number; readonly gid: number };
}

/** How a process ended. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A running server. `exited` resolves once and never rejects; `stop` resolves when no process of its group is left. */
export interface Server {
  readonly name: string;
  readonly pid: number;
  readonly exited: Promise<ProcessExit>;
  lastLines(): Promise<string[]>;
  stop(): Promise<void>;
}

/**
 * Starts servers in separate process groups, so that a terminal's Ctrl-C reaches only the launcher, which then stops
 * them in order. Each has a file with its pid and start time; `endLeftovers` ends whatever a killed launcher left
 * behind, and nothing else.
 */
export class Supervisor {
  readonly #directory: string;

  /** @param directory receives `pids/NAME.json` and `logs/NAME.log`. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The log of a server of this name; that of the previous run is kept as `.previous`. */
  logFile(name: string): string {
    return join(this.#directory, 'logs', `${name}.log`);
  }

  /** Starts the server; resolves when the process exists, even if it does not respond yet. */
  async start(spec: ServerSpec): Promise<Server> {
    const logFile = this.logFile(spec.name);
    await mkdir(join(this.#directory, 'logs'), { recursive: true });
    await mkdir(join(this.#directory, 'pids'), { recursive: true });
    await rename(logFile, `${logFile}.previous`).catch(() => undefined);
    const log = openSync(logFile, 'a', 0o600);
    let child: ChildProcess;
    try {
      child = spawn(spec.command, spec.args, {
        cwd: spec.cwd,
        env: spec.env,
        detached: true,
        stdio: ['ignore', log, log],
        ...spec.user,
      });
    } finally {
      closeSync(log);
    }
    const exited = new Promise<ProcessExit>((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
      child.once('error', () => resolve({ code: null, signal: null }));
    });
    const spawned = new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    await spawned;
    const pid = child.pid as number;
    const identity = await identifyProcess(pid);
    const pidFile = this.#pidFile(spec.name);
    const { stopSignal, stopTimeoutMs } = spec;
    if (identity) writeFileSync(pidFile, JSON.stringify({ ...identity, stopSignal, stopTimeoutMs }), { mode: 0o600 });
    void exited.then(() => rm(pidFile, { force: true }));
    return {
      name: spec.name,
      pid,
      exited,
      lastLines: () => readLastLines(logFile, 15),
      stop: async () => {
        if (child.exitCode === null && child.signalCode === null) signalProcess(pid, stopSignal);
        const timeout = new AbortController();
        await Promise.race([
          exited,
          delay(stopTimeoutMs, undefined, { signal: timeout.signal }).catch(() => undefined),
        ]);
        timeout.abort();
        signalProcess(-pid, 'SIGKILL');
        await exited;
        await rm(pidFile, { force: true });
      },
    };
  }

  /** Ends the servers that an earlier run of this directory left running. Returns their names. */
  async endLeftovers(): Promise<string[]> {
    const files = await readdir(join(this.#directory, 'pids')).catch(() => []);
    const ended = await Promise.all(files.map((file) => this.#endLeftover(file.replace(/\.json$/, ''))));
    return ended.filter((name) => name !== undefined);
  }

  async #endLeftover(name: string): Promise<string | undefined> {
    const text = await readFile(this.#pidFile(name), 'utf8').catch(() => '');
    const identity = parseIdentity(text);
    const wasAlive = identity !== undefined && (await isAlive(identity));
    if (wasAlive) {
      const { stopSignal, stopTimeoutMs } = JSON.parse(text) as Pick<ServerSpec, 'stopSignal' | 'stopTimeoutMs'>;
      signalProcess(identity.pid, stopSignal === 'SIGINT' ? 'SIGINT' : 'SIGTERM');
      if (!(await hasEnded(identity, Number(stopTimeoutMs) || 10_000))) {
        signalProcess(-identity.pid, 'SIGKILL');
        await hasEnded(identity, 5_000);
      }
    }
    await rm(this.#pidFile(name), { force: true });
    return wasAlive ? name : undefined;
  }

  #pidFile(name: string): string {
    return join(this.#directory, 'pids', `${name}.json`);
  }
}

async function hasEnded(identity: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await delay(50)) {
    if (!(await isAlive(identity))) return true;
  }
  return !(await isAlive(identity));
}

/** Sends a signal to a process, or with a negative number to its group; ignores one that has ended. */
function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}
