/** A unit that a relay publishes: its stream is published in the order of versions. */
export type OutboxItem = {
  readonly stream: string;
  readonly version: number;
  /** In bytes as it is published. */
  readonly size: number;
  readonly recordedAt: Date;
  /** For the log, where items are of several types. */
  readonly type?: string;
  readonly typeVersion?: number;
};

/** Limits of one read; `bytes` as stored, and always at least one event. */
export type ReadBound = { readonly events: number; readonly bytes: number };

/** The events of a relay, and how it notes progress. */
export type Outbox<Item extends OutboxItem> = {
  /**
   * The next events, in order; returns them again until noted as published or held back.
   * @param held streams that are held back, whose remaining events are skipped
   */
  read(bound: ReadBound, held: readonly string[]): Promise<readonly Item[]>;
  /** Age of the oldest event not noted as published, in seconds; 0 without one. */
  oldestSeconds(): Promise<number>;
  /** Whether committed events exist that cannot be read yet. */
  hasMore(): Promise<boolean>;
  /** Notes that these are published. */
  published(events: readonly Item[]): Promise<void>;
  /** Notes that these cannot be published now: they stay, and are read by `readHeld` only. */
  hold(events: readonly Item[]): Promise<void>;
  /** The streams whose events share the item; undefined for a single event. */
  streamsIn?(event: Item): readonly string[] | undefined;
  /** Moves the events of these streams out of a shared item, and notes them as held back, in one transaction. */
  setApart?(event: Item, streams: readonly string[]): Promise<void>;
  /** The streams with held-back events, at most `limit`. */
  heldStreams(limit: number): Promise<readonly string[]>;
  /** The held-back events of a stream, in order. */
  readHeld(stream: string, bound: ReadBound): Promise<readonly Item[]>;
  /** Notes that these, which were held back, are published. */
  released(events: readonly Item[]): Promise<void>;
};
