import { createTrack, type Track } from './delivery-track.ts';

/** A collection's events that stay in the log until fewer of its deliveries wait. */
export type Backlog = {
  readonly set: string;
  /** Later events of the collection stay in the log. */
  readonly start: number;
  /** Their progress since. */
  readonly track: Track;
};

/** Changed backlogs to write, with the position of the webhook. */
export type BacklogChanges = {
  readonly begun: readonly { readonly set: string; readonly position: number }[];
  readonly moved: readonly { readonly set: string; readonly position: number }[];
  readonly ended: readonly string[];
};

/** Per webhook; above it, events of further collections hold up the webhook. */
const mostBacklogs = 1_000;

/**
 * Collections of one webhook whose events stay in the log, so that others' are delivered: a row has the position of the
 * first. A backlog ends when all of its events up to the webhook's read position are settled.
 * @param stored positions by collection
 */
export function createBacklogs(stored: ReadonlyMap<string, number>) {
  const open = new Map<string, Backlog & { stored: number | undefined }>();
  for (const [set, position] of stored)
    open.set(set, { set, start: position, track: createTrack(position), stored: position });
  /** Their rows are to be deleted. */
  const ended = new Set<string>();

  return {
    isEmpty: (): boolean => open.size === 0 && ended.size === 0,
    hasRoom: (): boolean => open.size < mostBacklogs,
    all: (): Iterable<Backlog> => open.values(),
    has: (set: string): boolean => open.has(set),
    of: (set: string): Backlog | undefined => open.get(set),
    /** Events in memory. */
    length: (): number => [...open.values()].reduce((sum, { track }) => sum + track.length(), 0),
    leaves: ({ set, position }: { readonly set: string; readonly position: number }): boolean =>
      position > (open.get(set)?.start ?? Number.POSITIVE_INFINITY),
    begin(set: string, start: number): void {
      ended.delete(set);
      open.set(set, { set, start, track: createTrack(start), stored: undefined });
    },
    /** It had its turn. */
    passTurn(set: string): void {
      const backlog = open.get(set);
      if (backlog === undefined) return;
      open.delete(set);
      open.set(set, backlog);
    },
    /** @param readTo the webhook's read position: later events do not belong to the backlogs that end now */
    changes(readTo: number): BacklogChanges {
      const begun: { set: string; position: number }[] = [];
      const moved: { set: string; position: number }[] = [];
      for (const { set, track, stored: position } of [...open.values()]) {
        const settledTo = track.settledTo();
        if (settledTo === readTo && track.length() === 0) {
          open.delete(set);
          ended.add(set);
        } else if (position === undefined) begun.push({ set, position: settledTo });
        else if (position !== settledTo) moved.push({ set, position: settledTo });
      }
      return { begun, moved, ended: [...ended] };
    },
    written(changes: BacklogChanges): void {
      for (const { set, position } of [...changes.begun, ...changes.moved]) {
        const backlog = open.get(set);
        if (backlog !== undefined) backlog.stored = position;
      }
      for (const set of changes.ended) ended.delete(set);
    },
  };
}
export type Backlogs = ReturnType<typeof createBacklogs>;
