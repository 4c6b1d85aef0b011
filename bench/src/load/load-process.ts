import { type ChildProcess, fork } from 'node:child_process';
import { on, once } from 'node:events';
import { join } from 'node:path';
import type { Job, Mark, OutcomeOf } from './jobs.ts';

/** Who asks the system things, in a process of its own, so that its work and memory are not mistaken for the system's. */
export type LoadProcess = {
  readonly pid: number | undefined;
  /** One job at a time; `onMark` is told of its marks. @throws what went wrong there, and when the process ends */
  run<J extends Job>(job: J, onMark?: (mark: Mark) => void): Promise<OutcomeOf<J>>;
  stop(): Promise<void>;
};

export function startLoadProcess(signal: AbortSignal): LoadProcess {
  const child: ChildProcess = fork(join(import.meta.dirname, 'main.ts'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  return {
    pid: child.pid,
    async run(job, onMark) {
      const given = new AbortController();
      try {
        const ended = exited.then(() => {
          throw new Error('the process of the load ended');
        });
        const signals = AbortSignal.any([signal, given.signal]);
        const answered = (async () => {
          for await (const [message] of on(child, 'message', { signal: signals })) {
            const told = message as { mark: Mark } | { outcome: OutcomeOf<typeof job> } | { fault: string };
            if (!('mark' in told)) return told;
            onMark?.(told.mark);
          }
          throw new Error('the process of the load is not listened to');
        })();
        child.send(job);
        const answer = await Promise.race([answered, ended]);
        if ('fault' in answer) throw new Error(answer.fault);
        return answer.outcome;
      } finally {
        given.abort();
      }
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await exited;
    },
  };
}
