import { fork } from 'node:child_process';
import { once } from 'node:events';

/** A server beside the system, or a part of it by itself, in a process of its own. */
export type SideProcess = { readonly url: string; readonly pid: number | undefined; stop(): Promise<void> };

/**
 * @param file its entry: it takes `settings` as its first message, answers `{ url }` when it can be asked, and ends when
 * its channel is closed
 * @throws Error when it ends before it can be asked, and what the signal says
 */
export async function startSideProcess(file: string, settings: object, signal: AbortSignal): Promise<SideProcess> {
  const child = fork(file, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const exited = once(child, 'exit');
  const stop = async (): Promise<void> => {
    if (child.connected) child.disconnect();
    await exited;
  };
  const answered = new AbortController();
  try {
    child.send(settings);
    const [{ url }] = (await Promise.race([
      once(child, 'message', { signal: AbortSignal.any([signal, answered.signal]) }),
      exited.then(([code]) => {
        throw new Error(`${file} ended with code ${code} before it could be asked`);
      }),
    ])) as [{ url: string }];
    return { url, pid: child.pid, stop };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    answered.abort();
  }
}
