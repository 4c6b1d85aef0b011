import { distinct, type SeenEvent } from './public-event.ts';

/** Someone who is given public events, by whatever way, and reads all the time. */
export type Subscriber = {
  /** For faults: `topic`, `log of 0x…`. */
  readonly name: string;
  /** Whose events it is given; everybody's when it is left out. */
  readonly account?: string;
  /** Whether none comes twice: it says itself from where on it reads. */
  readonly once: boolean;
  /** As they came. */
  readonly events: readonly SeenEvent[];
  stop(): Promise<void>;
};

/** Of its events, those of an account alone. */
export const eventsOf = (events: readonly SeenEvent[], account: string | undefined): readonly SeenEvent[] =>
  account === undefined ? events : events.filter(({ key }) => key.split('/')[0] === account.toLowerCase());

export const repeats = (events: readonly SeenEvent[]): number => events.length - distinct(events).length;
