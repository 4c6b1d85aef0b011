import type { Hex } from '@indelible/identifiers';
import type { Broadcaster, Replace } from './broadcaster.ts';
import type { LaneFunds } from './lane-funds.ts';

/** A round is repeated so soon when nodes took some of its transactions and others not. */
const unfinishedRoundMs = 1_000;

/**
 * When the stored transactions of a lane are broadcast again: all of them every `everyMs`, in parts, between which something new
 * may be signed.
 */
export function createBroadcastRounds(options: {
  readonly broadcaster: Broadcaster;
  readonly funds: Pick<LaneFunds, 'judged'>;
  readonly lane: Hex;
  readonly everyMs: number;
}) {
  const { broadcaster, funds } = options;
  let nextAt = 0;
  /** The nonce from which the round under way continues. */
  let from: number | undefined;

  const postpone = (): void => {
    nextAt = performance.now() + options.everyMs;
  };

  return {
    isUnderWay: (): boolean => from !== undefined,
    untilNextMs: (): number => Math.max(0, nextAt - performance.now()),
    /** The next round begins at once. */
    hurry(): void {
      nextAt = 0;
    },
    /** The next round begins after its whole time. */
    postpone,
    /** A round begins, whatever one was under way: the lane was held by others meanwhile. */
    restart(): void {
      nextAt = 0;
      from = undefined;
    },
    /** No transaction is left without a block. */
    end(): void {
      funds.judged('paid');
      from = undefined;
    },
    /** Broadcasts the next part of a round, if one is under way or due. */
    async continue(replace: Replace, signal: AbortSignal): Promise<void> {
      if (from === undefined) {
        if (performance.now() < nextAt) return;
        // What is announced from now on calls for another round.
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
