import { type Component, startAll, stopAll } from './component.ts';
import { ConfigurationError } from './config.ts';
import { configurationExitCode } from './exit-codes.ts';
import type { Logger } from './logging/logger.ts';

/** How long a service may drain before the process ends anyway. */
const stopDeadlineMs = 30_000;
/** How long leftovers of a failed start may keep the process. */
const failedStartDeadlineMs = 1_000;

/**
 * Runs a service until SIGTERM or SIGINT, or until a component reports an error it cannot recover from: then everything is
 * stopped in reverse order and the process ends (with 1 after a fault, so that its supervisor starts it again).
 * @param create makes the components without effects; `fail` is for faults after the start. A ConfigurationError ends the
 * process with 78, any other with 1
 * @param beside runs as long as the service does, and while it starts
 */
export async function runService(options: {
  readonly logger: Logger;
  readonly create: (fail: (error: unknown) => void) => readonly Component[] | Promise<readonly Component[]>;
  readonly beside?: Component;
  /** How long its clients have to move to other replicas; none after a fault. */
  readonly leaveMs?: number;
}): Promise<void> {
  const { logger, beside, leaveMs = 0 } = options;
  const ended = Promise.withResolvers<{ reason: string; error?: unknown }>();
  const stopping = new AbortController();
  const end = (how: { reason: string; error?: unknown }): void => {
    ended.resolve(how);
    stopping.abort(new Error(how.reason));
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => end({ reason: signal }));
  // A launcher holds an IPC channel to the service: when it closes, the launcher has died and nothing else would stop this process.
  process.once('disconnect', () => end({ reason: 'the launcher is gone' }));
  process.channel?.unref();
  process.once('uncaughtException', (error) => end({ reason: 'an uncaught exception', error }));
  process.once('unhandledRejection', (error) => end({ reason: 'an unhandled rejection', error }));

  await beside?.start();
  let components: readonly Component[];
  try {
    components = await options.create((error) => end({ reason: 'a fault of a component', error }));
  } catch (error) {
    await beside?.stop();
    reportFailedStart(logger, error);
    return;
  }
  const began = performance.now();
  const starting = startAll(components, stopping.signal).then(
    () => logger.info({ seconds: seconds(began) }, 'started'),
    (error: unknown) => end({ reason: 'a fault at the start', error }),
  );
  const { reason, error } = await ended.promise;
  if (error === undefined) logger.info({ reason }, 'stopping');
  else logger.error({ reason, err: error }, 'stopping after a fault');
  process.exitCode = error === undefined ? 0 : 1;

  const deadline = setTimeout(() => {
    logger.error({ seconds: stopDeadlineMs / 1000 }, 'did not stop in time: ending at once');
    process.exit(1);
  }, stopDeadlineMs);
  deadline.unref();
  await beside?.stop();
  await starting;
  if (error === undefined) await Promise.all(components.map((component) => component.leave?.(leaveMs)));
  for (const fault of await stopAll(components)) logger.warn({ err: fault }, 'a component did not stop cleanly');
  logger.info({}, 'stopped');
}

function reportFailedStart(logger: Logger, error: unknown): void {
  if (error instanceof ConfigurationError) {
    logger.error({ err: error }, 'cannot start: the configuration is invalid');
    process.exitCode = configurationExitCode;
  } else {
    logger.error({ err: error }, 'cannot start');
    process.exitCode = 1;
  }
  // parts created before the fault, such as a self-connecting client, would keep the process alive
  setTimeout(() => process.exit(), failedStartDeadlineMs).unref();
}

const seconds = (since: number): number => Math.round((performance.now() - since) / 10) / 100;
