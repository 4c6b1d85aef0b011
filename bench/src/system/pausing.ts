import type { System } from './start-system.ts';

export type Service = keyof System['services'];

/** Pauses services by signals; always resumes them in the end. */
export async function pausing<Result>(
  { services }: Pick<System, 'services'>,
  names: readonly Service[],
  work: (pause: () => void, resume: () => void) => Promise<Result>,
): Promise<Result> {
  const send = (signal: 'SIGSTOP' | 'SIGCONT'): void => {
    for (const name of names) {
      const pid = services[name].pid();
      if (pid !== undefined) process.kill(pid, signal);
    }
  };
  try {
    return await work(
      () => send('SIGSTOP'),
      () => send('SIGCONT'),
    );
  } finally {
    send('SIGCONT');
  }
}
