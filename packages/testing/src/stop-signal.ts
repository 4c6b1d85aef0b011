/**
 * A signal that is aborted when this process is asked to end: by Ctrl-C, by SIGTERM or SIGHUP, or by the death of the process that
 * started it with a channel.
 */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  const stop = () => stopping.abort(new Error('stopped'));
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, stop);
  process.on('disconnect', stop);
  process.channel?.unref();
  return stopping.signal;
}
