import { type Component, startAll, stopAll } from './component.ts';
import type { Logger } from './logger.ts';

/** How long a service may drain before the process ends all the same. */
const stopDeadlineMs = 30_000;

/**
 * Runs a service until SIGTERM or SIGINT, or until a component reports a fault it cannot mend: then everything is
 * stopped in reverse order and the process ends (with 1 after a fault, so that its supervisor starts it again).
 * @param create makes the components without effects; `fail` is for faults after the start
 */
export async function runService(options: {
  readonly logger: Logger;
  readonly create: (fail: (error: unknown) => void) => readonly Component[] | Promise<readonly Component[]>;
}): Promise<void> {
  const { logger } = options;
  const ended = Promise.withResolvers<{ reason: string; error?: unknown }>();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => ended.resolve({ reason: signal }));
  // A launcher holds an IPC channel to the service: when it closes, the launcher is gone and nobody else would stop us.
  process.once('disconnect', () => ended.resolve({ reason: 'the launcher is gone' }));
  process.channel?.unref();
  process.once('uncaughtException', (error) => ended.resolve({ reason: 'an uncaught exception', error }));
  process.once('unhandledRejection', (error) => ended.resolve({ reason: 'an unhandled rejection', error }));

  const components = await options.create((error) => ended.resolve({ reason: 'a fault of a component', error }));
  const began = performance.now();
  const starting = startAll(components).then(
    () => logger.info({ seconds: seconds(began) }, 'started'),
    (error: unknown) => ended.resolve({ reason: 'a fault at the start', error }),
  );
  const { reason, error } = await ended.promise;
  if (error === undefined) logger.info({ reason }, 'stopping');
  else logger.error({ reason, error }, 'stopping after a fault');
  process.exitCode = error === undefined ? 0 : 1;

  const deadline = setTimeout(() => {
    logger.error({ seconds: stopDeadlineMs / 1000 }, 'did not stop in time: ending at once');
    process.exit(1);
  }, stopDeadlineMs);
  deadline.unref();
  await starting;
  for (const fault of await stopAll(components)) logger.warn({ error: fault }, 'a component did not stop cleanly');
  logger.info({}, 'stopped');
}

const seconds = (since: number): number => Math.round((performance.now() - since) / 10) / 100;
