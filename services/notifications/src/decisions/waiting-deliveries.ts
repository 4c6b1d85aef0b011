import { type DueDelivery, nothingWaiting, type Result, type Waiting } from './deliveries.ts';
import type { TrackedEvent } from './delivery-track.ts';

/** Waiting deliveries of a webhook; with more, it gets no new events. */
export const mostWaiting = 5_000;
/** Per collection; above it, its events stay in the log, and others' continue. */
export const mostWaitingOfSet = 100;

const unstorable = 'internal: the answer could not be stored';

/**
 * A webhook's deliveries that wait for another attempt: those read from the table, and results not written there yet.
 */
export function createWaitingDeliveries(webhookId: string) {
  let waiting = nothingWaiting;
  let due: readonly DueDelivery[] = [];
  /** Positions of `due` in flight, or whose results are not written. */
  const retrying = new Set<number>();
  let results: Result[] = [];
  /** Number of changes to the waiting rows, and that number when last read. */
  let changes = 1;
  let changesRead = 0;

  /** Whether an unwritten result makes an event of the collection wait. */
  const isWaitingOf = (set: string, { status, again, set: own }: Result): boolean =>
    status === 'waiting' && !again && own === set;

  return {
    last: (): number => waiting.last,
    oldest: (): Date | null => waiting.oldest,
    /** An event up to the last waiting one was read before: it is not new. */
    isOld: (event: TrackedEvent | undefined): boolean => event !== undefined && event.position <= waiting.last,
    all: (): number => waiting.total + results.filter((one) => one.status === 'waiting').length,
    /** How many of the collection wait. */
    of: (set: string): number => (waiting.sets.get(set) ?? 0) + results.filter((one) => isWaitingOf(set, one)).length,
    /** Whether one of the collection waits. */
    isBlocked: (set: string): boolean => waiting.sets.has(set) || results.some((one) => isWaitingOf(set, one)),
    /** Whether this or an earlier one of the collection has failed without being written yet. */
    hasFailed: ({ set, position }: DueDelivery): boolean =>
      results.some((one) => isWaitingOf(set, one) && one.position <= position),
    /** The first due one that may be sent; marks it as in flight. */
    take(now: number, maySend: (delivery: DueDelivery) => boolean): DueDelivery | undefined {
      const next = due.find((one) => one.dueAt <= now && !retrying.has(one.position) && maySend(one));
      if (next !== undefined) retrying.add(next.position);
      return next;
    },
    retrying: (): readonly number[] => [...retrying],
    /** This process ended its attempt, which does not count. */
    putBack: (position: number): void => void retrying.delete(position),
    note(
      { position, event, set }: TrackedEvent,
      over: Omit<Result, 'webhookId' | 'position' | 'eventId' | 'type' | 'set'>,
    ): void {
      results.push({ webhookId, position, eventId: event.id, type: event.name, set, ...over });
    },
    /** The table changed: nothing is sent until it is read again. */
    markStale(): void {
      changes += 1;
    },
    isStale: (): boolean => changes !== changesRead,
    staleness: (): number => changes,
    /** @param asOf the staleness before it was read */
    setDue(next: readonly DueDelivery[], counted: Waiting, asOf: number): void {
      due = next;
      waiting = counted;
      changesRead = asOf;
    },
    /** Results to write; they count as waiting until {@link written}. */
    unwritten: (): readonly Result[] => results,
    /** Drops responses that cannot be stored; outcomes can be. */
    dropTexts(): void {
      results = results.map((one) =>
        one.attempt === undefined ? one : { ...one, attempt: { ...one.attempt, body: null, error: unstorable } },
      );
    },
    written(done: readonly Result[]): void {
      const gone = new Set(done);
      results = results.filter((one) => !gone.has(one));
      for (const { position } of done) retrying.delete(position);
    },
  };
}
export type WaitingDeliveries = ReturnType<typeof createWaitingDeliveries>;
