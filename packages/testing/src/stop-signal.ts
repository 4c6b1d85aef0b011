/**
 * A signal that aborts when this process must end: by Ctrl-C, SIGTERM or SIGHUP, or the death of the parent that holds
 * its IPC channel.
 */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  const stop = () => stopping.abort(new Error('stopped'));
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, stop);
  process.on('disconnect', stop);
  process.channel?.unref();
  return stopping.signal;
}
