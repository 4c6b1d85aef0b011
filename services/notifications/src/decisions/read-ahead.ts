import type { Backlog, Backlogs } from './collection-backlogs.ts';
import type { Track } from './delivery-track.ts';
import { mostWaiting, mostWaitingOfSet, type WaitingDeliveries } from './waiting-deliveries.ts';

/** Number of collections left in the log that are read again at a time. */
const mostBacklogsRead = 4;

/** Decides what to read ahead for a webhook. */
export function createReadAhead(ports: {
  readonly log: Track;
  readonly backlogs: Backlogs;
  readonly waiting: WaitingDeliveries;
  readonly mayContinue: (backlog: Backlog, most: number) => boolean;
  /** A webhook whose receiver fails sends what it has as a probe. */
  readonly isFailing: () => boolean;
}) {
  const { log, backlogs, waiting } = ports;
  const wants = (track: Track): boolean =>
    (waiting.all() < mostWaiting || (track === log && log.readTo() < waiting.last())) &&
    track.hasRoom() &&
    (!ports.isFailing() || track.length() === 0);

  return {
    /** Whether to read more of this. */
    wants,
    /** Backlogs whose next events must be read. */
    backlogsToRead(): readonly Backlog[] {
      if (waiting.all() >= mostWaiting) return [];
      let others = mostBacklogsRead;
      return [...backlogs.all()].filter((backlog) => {
        const { track } = backlog;
        if (track.length() === 0 && others === 0) return false;
        if (!ports.mayContinue(backlog, mostWaitingOfSet / 2) || track.readTo() >= log.readTo()) return false;
        others -= 1;
        return wants(track);
      });
    },
  };
}
