import type { Hex } from '@indelible/identifiers';
import type { Broadcaster, Replace } from './broadcaster.ts';
import type { LaneFunds } from './lane-funds.ts';

/** Delay before a round is repeated when nodes took only some of its transactions. */
const unfinishedRoundMs = 1_000;

/**
 * Schedules repeated broadcasts of a lane's stored transactions: all of them every `everyMs`, in parts, with time to
 * sign in between.
 */
export function createBroadcastRounds(options: {
  readonly broadcaster: Broadcaster;
  readonly funds: Pick<LaneFunds, 'judged'>;
  readonly lane: Hex;
  readonly everyMs: number;
}) {
  const { broadcaster, funds } = options;
  let nextAt = 0;
  /** The nonce at which the current round continues. */
  let from: number | undefined;

  const postpone = (): void => {
    nextAt = performance.now() + options.everyMs;
  };

  return {
    isUnderWay: (): boolean => from !== undefined,
    untilNextMs: (): number => Math.max(0, nextAt - performance.now()),
    /** Starts the next round at once. */
    hurry(): void {
      nextAt = 0;
    },
    /** Starts the next round after the interval. */
    postpone,
    /** Starts a new round, even during another: the lane was held by others meanwhile. */
    restart(): void {
      nextAt = 0;
      from = undefined;
    },
    /** Every transaction is in a block. */
    end(): void {
      funds.judged('paid');
      from = undefined;
    },
    /** Broadcasts the next part of a round, if one is under way or due. */
    async continue(replace: Replace, signal: AbortSignal): Promise<void> {
      if (from === undefined) {
        if (performance.now() < nextAt) return;
        // An announcement from here on calls for another round.
        postpone();
      }
      const part = await broadcaster.rebroadcast(options.lane, from ?? 0, replace, signal);
      funds.judged(part.funds);
      from = part.next;
      if (part.taken > 0 && part.left > 0) nextAt = Math.min(nextAt, performance.now() + unfinishedRoundMs);
    },
  };
}

export type BroadcastRounds = ReturnType<typeof createBroadcastRounds>;
