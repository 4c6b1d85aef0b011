import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { compileCache, nodeFlagsOf, type ServiceName } from './service-table.ts';

/** How long a service may drain before it is killed: a little longer than its own deadline. */
const stopDeadlineMs = 35_000;
const backoffMs = { first: 500, most: 15_000, forgottenAfter: 60_000 };

export type SupervisedService = {
  readonly name: ServiceName;
  readonly internalUrl: string;
  pid(): number | undefined;
  /** Resolves when the service is ready for work; rejects with the signal's reason. */
  untilReady(signal: AbortSignal): Promise<void>;
  /** Kills the process; it restarts. For tests of crashes. */
  kill(): Promise<void>;
  /**
   * Drains and ends it, and restarts it at once with more settings, for the next process only: if that one dies, it
   * restarts without them. Resolves when the next process runs; it may not be ready yet.
   */
  restart(once: Readonly<Record<string, string>>): Promise<void>;
  /** Drains and ends it for good. */
  stop(): Promise<void>;
};

/**
 * Runs a service as a separate process and restarts it when it dies, with growing delays. It has its own process group,
 * so that a Ctrl-C at the terminal reaches only the launcher, which stops things in order; if the launcher dies, the
 * closed channel makes the service stop.
 */
export function superviseService(options: {
  readonly name: ServiceName;
  readonly entry: string;
  readonly environment: Record<string, string>;
  readonly internalUrl: string;
  readonly onLine: (line: string) => void;
  readonly onRestart: (code: number | null, signal: string | null, delayMs: number) => void;
}): SupervisedService {
  let child: ChildProcess | undefined;
  let exited: Promise<void> = Promise.resolve();
  let stopping = false;
  let restarting = false;
  let pause: number = backoffMs.first;
  const given = new AbortController();

  function run(once: Readonly<Record<string, string>> = {}): void {
    const began = performance.now();
    const process = spawn(globalThis.process.execPath, [...nodeFlagsOf(options.name), options.entry], {
      env: { NODE_COMPILE_CACHE: compileCache, ...options.environment, ...once },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: true,
    });
    child = process;
    for (const stream of [process.stdout, process.stderr])
      if (stream !== null) createInterface({ input: stream }).on('line', options.onLine);
    exited = new Promise((resolve) => {
      process.once('exit', (code, signal) => {
        child = undefined;
        resolve();
        if (stopping || restarting) return;
        if (performance.now() - began > backoffMs.forgottenAfter) pause = backoffMs.first;
        options.onRestart(code, signal, pause);
        void delay(pause, undefined, { signal: given.signal }).then(
          () => stopping || run(),
          () => {},
        );
        pause = Math.min(pause * 2, backoffMs.most);
      });
    });
  }
  run();

  return {
    name: options.name,
    internalUrl: options.internalUrl,
    pid: () => child?.pid,
    async untilReady(signal) {
      while (!(await isReady(options.internalUrl))) await delay(100, undefined, { signal });
    },
    async kill() {
      const ended = exited;
      child?.kill('SIGKILL');
      await ended;
    },
    async restart(once) {
      if (child === undefined) throw new Error(`${options.name} does not run: it is about to be started again`);
      restarting = true;
      await end(child, exited);
      restarting = false;
      pause = backoffMs.first;
      if (!stopping) run(once);
    },
    async stop() {
      stopping = true;
      given.abort();
      if (child !== undefined) await end(child, exited);
    },
  };
}

async function end(running: ChildProcess, exited: Promise<void>): Promise<void> {
  running.kill('SIGTERM');
  const deadline = setTimeout(() => running.kill('SIGKILL'), stopDeadlineMs);
  await exited;
  clearTimeout(deadline);
}

async function isReady(internalUrl: string): Promise<boolean> {
  try {
    const response = await fetch(`${internalUrl}/health/ready`, { signal: AbortSignal.timeout(2_000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}
