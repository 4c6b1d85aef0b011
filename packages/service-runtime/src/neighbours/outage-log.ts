import type { Logger } from '../logger.ts';

/** Where repeated failures of one thing end up in the log: one line when they begin, one a minute, one when they are over. */
export type OutageLog = { failed(error: unknown): void; ended(): void };

const repeatedEveryMs = 60_000;

/**
 * @param waitingFor what completes "waiting for …": what is missing, where it is, and which variable names it
 * @param now milliseconds of a monotonic clock
 */
export function createOutageLog(options: {
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly waitingFor: string;
  readonly fields?: object;
  readonly now?: () => number;
}): OutageLog {
  const { logger, waitingFor, fields = {}, now = () => performance.now() } = options;
  let outage: { readonly since: number; loggedAt: number } | undefined;
  return {
    failed(error) {
      const at = now();
      if (outage === undefined) {
        outage = { since: at, loggedAt: at };
        logger.warn({ ...fields, reason: reasonOf(error) }, `waiting for ${waitingFor}`);
        return;
      }
      if (at - outage.loggedAt < repeatedEveryMs) return;
      outage.loggedAt = at;
      const seconds = secondsBetween(outage.since, at);
      logger.warn({ ...fields, seconds, reason: reasonOf(error) }, `still waiting for ${waitingFor}`);
    },
    ended() {
      if (outage === undefined) return;
      const seconds = secondsBetween(outage.since, now());
      outage = undefined;
      logger.info({ ...fields, seconds }, `reached ${waitingFor}`);
    },
  };
}

/** What went wrong in one line: no stack, since nothing of ours is wrong. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // both addresses of a name refused: the message of the group is empty
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join('; ');
  if (error.message === 'fetch failed' && error.cause !== undefined) return reasonOf(error.cause);
  return error.message;
}

const secondsBetween = (since: number, now: number): number => Math.round((now - since) / 1000);
