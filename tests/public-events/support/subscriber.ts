import { distinct, type SeenEvent } from './public-event.ts';

/** Someone who is given public events, by whatever way, and reads all the time. */
export type Subscriber = {
  /** For faults: `topic`, `log of 0x…`. */
  readonly name: string;
  /** Whose events it is given; everybody's when it is left out. */
  readonly account?: string;
  /** Whether none comes twice: it says itself from where on it reads. */
  readonly once: boolean;
  /** Whether the events of a collection come in their order; where they do not, their sequence numbers tell it. */
  readonly inOrder: boolean;
  /** As they came. */
  readonly events: readonly SeenEvent[];
  /** What came and was no event, for whatever reason. */
  readonly complaints?: readonly string[];
  /** Asks for what it could not take when it came, as its owner would. */
  askAgain?(): Promise<void>;
  stop(): Promise<void>;
};

/** A subscriber from outside, whose own faults are part of a test. */
export type FaultySubscriber = Subscriber & {
  readonly faults: Readonly<Record<string, (ms: number) => Promise<void>>>;
};

/** As they came; where they may overtake each other, in the order of their numbers. */
export const inSequence = ({ inOrder, events }: Pick<Subscriber, 'inOrder' | 'events'>): readonly SeenEvent[] =>
  inOrder ? events : events.toSorted((one, other) => one.sequence - other.sequence);

/** Of its events, those of an account alone. */
export const eventsOf = (events: readonly SeenEvent[], account: string | undefined): readonly SeenEvent[] =>
  account === undefined ? events : events.filter(({ key }) => key.split('/')[0] === account.toLowerCase());

export const repeats = (events: readonly SeenEvent[]): number => events.length - distinct(events).length;
