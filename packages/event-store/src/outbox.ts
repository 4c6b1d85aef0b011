/** What a relay publishes as one: its stream is published in the order of its versions. */
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

/** What one reading brings at most; `bytes` as they are stored, and one event in any case. */
export type ReadBound = { readonly events: number; readonly bytes: number };

/** What a relay publishes, and how it notes that it has. */
export type Outbox<Item extends OutboxItem> = {
  /**
   * The next events, in their order; those that are not noted as published or held back are read again.
   * @param held streams that are held back: where their events stay behind, they are passed over
   */
  read(bound: ReadBound, held: readonly string[]): Promise<readonly Item[]>;
  /** How old the oldest is that is not noted as published, in seconds; 0 without one. */
  oldestSeconds(): Promise<number>;
  /** Whether anything committed is unpublished that cannot be read yet. */
  hasMore(): Promise<boolean>;
  /** Notes that these are published. */
  published(events: readonly Item[]): Promise<void>;
  /** Notes that these cannot be published now: they stay, and are read by `readHeld` only. */
  hold(events: readonly Item[]): Promise<void>;
  /** The streams whose events share the item; undefined of an item that is one event. */
  streamsIn?(event: Item): readonly string[] | undefined;
  /** Takes the events of these streams out of an item that several share, and notes them as held back, in one transaction. */
  setApart?(event: Item, streams: readonly string[]): Promise<void>;
  /** The streams of which events are held back, at most `limit`. */
  heldStreams(limit: number): Promise<readonly string[]>;
  /** What of a stream is held back, in its order. */
  readHeld(stream: string, bound: ReadBound): Promise<readonly Item[]>;
  /** Notes that these, which were held back, are published. */
  released(events: readonly Item[]): Promise<void>;
};
