import type { Logger } from './logger.ts';

/** Logs repeated failures of one thing: a line when they begin, one now and then, one when they end. */
export type OutageLog = { failed(error: unknown): void; ended(): void };

/** When an outage is logged again, by its duration; then at intervals of the last one. */
const mentionedAfterMs = [60_000, 180_000, 600_000] as const;
const mentionedEveryMs = 600_000;

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
  let outage: { readonly since: number; mentionAt: number } | undefined;
  return {
    failed(error) {
      const at = now();
      if (outage === undefined) {
        outage = { since: at, mentionAt: at + mentionedAfterMs[0] };
        logger.warn({ ...fields, err: error }, `waiting for ${waitingFor}`);
        return;
      }
      if (at < outage.mentionAt) return;
      const ms = at - outage.since;
      outage.mentionAt = outage.since + (mentionedAfterMs.find((after) => after > ms) ?? ms + mentionedEveryMs);
      logger.warn({ ...fields, seconds: secondsOf(ms), err: error }, `waiting for ${waitingFor}, ${inWords(ms)}`);
    },
    ended() {
      if (outage === undefined) return;
      const ms = now() - outage.since;
      outage = undefined;
      logger.info({ ...fields, seconds: secondsOf(ms) }, `reached ${waitingFor}`);
    },
  };
}

const secondsOf = (ms: number): number => Math.round(ms / 1_000);

function inWords(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
}
