import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Job, OutcomeOf } from './jobs.ts';

/** Who asks the system things, in a process of its own, so that its work and memory are not mistaken for the system's. */
export type LoadProcess = {
  /** One job at a time. @throws what went wrong there, and when the process ends */
  run<J extends Job>(job: J): Promise<OutcomeOf<J>>;
  stop(): Promise<void>;
};

export function startLoadProcess(signal: AbortSignal): LoadProcess {
  const child: ChildProcess = fork(join(import.meta.dirname, 'main.ts'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  return {
    async run(job) {
      const given = new AbortController();
      try {
        child.send(job);
        const ended = exited.then(() => {
          throw new Error('the process of the load ended');
        });
        const answered = once(child, 'message', { signal: AbortSignal.any([signal, given.signal]) });
        const [answer] = (await Promise.race([answered, ended])) as [
          { outcome: OutcomeOf<typeof job> } | { fault: string },
        ];
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
