import { setTimeout as delay } from 'node:timers/promises';
import { createOutageLog, type Logger } from '@indelible/service-runtime';
import type { FollowPorts, FollowSettings } from './follow-ports.ts';
import { beginCursor, followStep, type StepOutcome } from './follow-step.ts';
import type { HeadSignal } from './head-signal.ts';
import type { Cursor } from './ports.ts';
import { createRepublisher } from './republish-step.ts';

const backoffMs = { first: 100, most: 5_000 };
/** Longest delay until an unannounced head is found. */
const restMs = 30_000;
const behindPollMs = 1_000;
/** How soon a node whose answers do not fit is read again, and the outbox checked for room. */
const unclearMs = 1_000;
const fullMs = 50;

/**
 * Follows the chain until the signal aborts. After any fault it continues from the stored state: a transaction whose
 * response was lost may have been committed.
 */
export async function followChain(options: {
  readonly ports: FollowPorts;
  readonly settings: FollowSettings;
  readonly heads: HeadSignal;
  readonly signal: AbortSignal;
  readonly logger: Logger;
  /** Rejects when the node is on another chain. */
  readonly checkChain: () => Promise<void>;
  /** Called after each step with its position. */
  readonly onStep: (outcome: StepOutcome) => void;
  readonly onFault: (error: unknown) => void;
}): Promise<void> {
  const { ports, settings, heads, signal, logger } = options;
  const republish = createRepublisher(ports, settings, { logger, signal });
  const waitingFor = 'the chain node or Postgres, to follow the chain (RPC_URL, DATABASE_URL)';
  const outage = createOutageLog({ logger, waitingFor });
  let cursor: Cursor | undefined;
  let behindSince: number | undefined;
  let pause = backoffMs.first;

  while (!signal.aborted) {
    const seen = heads.count;
    try {
      if (cursor === undefined) {
        await options.checkChain();
        cursor = (await ports.store.load()) ?? (await beginCursor(ports, settings.startBlock));
      }
      if (cursor === undefined) {
        logger.info({ startBlock: settings.startBlock }, 'Chain has not reached the first block yet');
        await heads.beyond(seen, restMs, signal);
        continue;
      }
      const behindMs = behindSince === undefined ? 0 : performance.now() - behindSince;
      const outcome = await followStep(ports, settings, cursor, heads.last, behindMs);
      cursor = outcome.cursor;
      options.onStep(outcome);
      pause = backoffMs.first;
      if (outcome.kind === 'behind') {
        if (behindSince === undefined)
          logger.warn({ number: cursor.number }, 'Node is behind the blocks that were read');
        behindSince ??= performance.now();
        await heads.beyond(seen, Math.min(behindPollMs, settings.behindGraceMs), signal);
        continue;
      }
      behindSince = undefined;
      outage.ended();
      if (outcome.kind === 'moved' || outcome.kind === 'rest') {
        const again = await republish(cursor);
        cursor = again.cursor;
        if (again.kind === 'moved') continue;
        if (again.kind === 'later') {
          await heads.beyond(seen, unclearMs, signal);
          continue;
        }
      }
      if (outcome.kind === 'rest') await heads.beyond(seen, restMs, signal);
      else if (outcome.kind === 'unclear' || outcome.kind === 'halted') await heads.beyond(seen, unclearMs, signal);
      else if (outcome.kind === 'full') await delay(fullMs, undefined, { signal }).catch(() => undefined);
    } catch (error) {
      if (signal.aborted) return;
      options.onFault(error);
      outage.failed(error);
      cursor = undefined;
      await delay(pause, undefined, { signal }).catch(() => undefined);
      pause = Math.min(pause * 2, backoffMs.most);
    }
  }
}
