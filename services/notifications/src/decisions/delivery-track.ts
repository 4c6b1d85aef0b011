import type { LoggedEvent } from '@indelible/public-events';

/** An event for a webhook, with its position in the account's log. */
export type TrackedEvent = { readonly position: number; readonly event: LoggedEvent; readonly set: string };

type Entry = TrackedEvent & { state: 'waiting' | 'sending' | 'settled' };

/** The most events of a webhook read ahead. */
export const trackLength = 100;

/**
 * A window of an account's log that is sent to one receiver: events leave it in any order, and the position up to which all are settled
 * only grows.
 */
export function createTrack(start: number) {
  /** In log order; settled ones at the front are dropped. */
  let entries: Entry[] = [];
  /** The log is read up to here. */
  let readTo = start;
  let sending = 0;

  return {
    /** The position after which to continue reading. */
    readTo: (): number => readTo,
    length: (): number => entries.length,
    sending: (): number => sending,
    first: (): TrackedEvent | undefined => entries.find(({ state }) => state !== 'settled'),
    /** Whether an event of the collection is unsettled, up to this position. */
    isOpen: (set: string, upTo: number): boolean =>
      entries.some((one) => one.state !== 'settled' && one.set === set && one.position <= upTo),
    hasRoom: (): boolean => entries.length < trackLength / 2,
    append(events: readonly TrackedEvent[], next: number): void {
      for (const event of events) entries.push({ ...event, state: 'waiting' });
      readTo = next;
    },
    /** The first event that may be sent; marks it as in flight. */
    next(mayGo: (event: TrackedEvent) => boolean): TrackedEvent | undefined {
      const entry = entries.find((one) => one.state === 'waiting' && mayGo(one));
      if (entry === undefined) return undefined;
      entry.state = 'sending';
      sending += 1;
      return entry;
    },
    /** Removes events that cannot be sent now and are stored elsewhere: they count as settled. */
    take(isTaken: (event: TrackedEvent) => boolean): readonly TrackedEvent[] {
      const taken = entries.filter((one) => one.state === 'waiting' && isTaken(one));
      for (const entry of taken) entry.state = 'settled';
      return taken;
    },
    /** The event's outcome is known, and will be written with {@link settledTo}. */
    settle(position: number): void {
      const entry = entries.find((one) => one.position === position && one.state === 'sending');
      if (entry === undefined) return;
      entry.state = 'settled';
      sending -= 1;
    },
    /** The end of what is settled entirely. */
    settledTo(): number {
      const open = entries.findIndex((one) => one.state !== 'settled');
      if (open < 0) {
        entries = [];
        return readTo;
      }
      entries = entries.slice(open);
      return (entries[0] as Entry).position - 1;
    },
  };
}
export type Track = ReturnType<typeof createTrack>;
