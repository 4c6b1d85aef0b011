import type { Backlogs } from './collection-backlogs.ts';
import type { Track, TrackedEvent } from './delivery-track.ts';
import { mostWaitingOfSet, type WaitingDeliveries } from './waiting-deliveries.ts';

/**
 * Removes events that cannot be sent now from those read ahead: they wait in the table, or stay in the log as a
 * backlog.
 */
export function createPutAside({
  log,
  backlogs,
  waiting,
}: {
  readonly log: Track;
  readonly backlogs: Backlogs;
  readonly waiting: WaitingDeliveries;
}) {
  return {
    /** Leaves events in the log whose collection has no room for another waiting one. */
    leaveFull(): void {
      const full = new Map<string, boolean>();
      const isFull = (set: string): boolean => {
        const known = full.get(set) ?? waiting.of(set) >= mostWaitingOfSet;
        full.set(set, known);
        return known;
      };
      const left = log.take(
        (event) => !waiting.isOld(event) && isFull(event.set) && (backlogs.has(event.set) || backlogs.hasRoom()),
      );
      for (const event of left) if (!backlogs.has(event.set)) backlogs.begin(event.set, event.position - 1);
    },
    /** Moves events to the table, or leaves them in the log when many of theirs wait. */
    putAside(now: number, isTaken: (event: TrackedEvent) => boolean): void {
      const counts = new Map<string, number>();
      for (const event of log.take(isTaken)) {
        if (backlogs.leaves(event)) continue;
        const { set } = event;
        const count = counts.get(set) ?? waiting.of(set);
        if (count >= mostWaitingOfSet && !waiting.isOld(event) && !backlogs.has(set) && backlogs.hasRoom())
          backlogs.begin(set, event.position - 1);
        else {
          counts.set(set, count + 1);
          const over = { status: 'waiting', tries: 0, again: false, attempt: undefined } as const;
          waiting.note(event, { ...over, nextAttemptAt: new Date(now) });
        }
      }
    },
  };
}
