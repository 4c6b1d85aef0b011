import { fork } from 'node:child_process';
import { on, once } from 'node:events';
import { join } from 'node:path';
import type { Mark } from '../measuring/use.ts';
import type { JobName, OutcomeOf, SettingsOf } from './jobs.ts';

/** A separate process, so that its work and memory do not count as the system's. */
export type Child = AsyncDisposable & {
  readonly pid: number | undefined;
  /** One job at a time; `onMark` receives its marks. @throws the job's error, and when the process ends */
  run<Name extends JobName>(
    name: Name,
    settings: SettingsOf<Name>,
    onMark?: (mark: Mark) => void,
  ): Promise<OutcomeOf<Name>>;
};
/** A baseline's server, or one part of the system. */
export type SideServer = AsyncDisposable & { readonly url: string; readonly pid: number | undefined };
type ServerName = { [Name in JobName]: OutcomeOf<Name> extends { readonly url: string } ? Name : never }[JobName];
type Answer = { readonly mark: Mark } | { readonly outcome: never } | { readonly fault: string };

export function startChild(signal: AbortSignal): Child {
  const child = fork(join(import.meta.dirname, 'main.ts'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const exited = once(child, 'exit');
  return {
    pid: child.pid,
    async run(name, settings, onMark) {
      const given = new AbortController();
      const ended = exited.then(() => given.abort(new Error('the process ended before it answered')));
      ended.catch(() => {});
      try {
        child.send({ name, settings });
        for await (const [message] of on(child, 'message', { signal: AbortSignal.any([signal, given.signal]) })) {
          const answer = message as Answer;
          if ('fault' in answer) throw new Error(answer.fault);
          if ('outcome' in answer) return answer.outcome;
          onMark?.(answer.mark);
        }
        throw new Error('the process has disconnected');
      } catch (error) {
        throw given.signal.aborted ? given.signal.reason : error;
      }
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

/** @throws the error that prevented the start */
export async function startServer<Name extends ServerName>(
  name: Name,
  settings: SettingsOf<Name>,
  signal: AbortSignal,
): Promise<SideServer> {
  const child = startChild(signal);
  try {
    const { url } = (await child.run(name, settings)) as { readonly url: string };
    return { ...child, url };
  } catch (error) {
    await child[Symbol.asyncDispose]();
    throw error;
  }
}
