import { failpoint, isRetryable, type Logger } from '@indelible/service-runtime';
import type { Outbox, OutboxItem, ReadBound } from './outbox.ts';

/** One read: several slices. */
const readBound: ReadBound = { events: 1_000, bytes: 2 * 1024 * 1024 };
/** One call of the publisher, whose time is limited: one request to the broker. */
const sliceBound: ReadBound = { events: 500, bytes: 512 * 1024 };
/** Approximate size of an event's envelope, key and headers. */
const overheadBytes = 768;
/** After a failure, slices grow again after so many acknowledged in a row. */
const slicesBeforeGrowth = 20;
/** More held-back streams are not single invalid events: the relay waits for a human or a newer replica. */
const maxHeldStreams = 1_000;

/**
 * Publishes events in slices and notes each as soon as it is acknowledged, so that a slow broker still gets through a
 * backlog: after a failure the next slices are half as large. An event that can never be published (it breaks its
 * schema, or this replica does not know its contract) is held back with all later ones of its stream; other streams
 * continue, and held events are retried.
 */
export function createSlicePublisher<Item extends OutboxItem>(options: {
  readonly schema: string;
  readonly outbox: Outbox<Item>;
  /** All are durable when it resolves, in order per stream. @throws a permanent error when one of them can never be published */
  readonly publish: (items: readonly Item[]) => Promise<void>;
  readonly onPublished: (items: readonly Item[]) => void;
  readonly logger: Logger;
}) {
  const { schema, outbox, publish, onPublished, logger } = options;
  const held = new Set<string>();
  let isRetryDue = false;
  let mostEvents = sliceBound.events;
  let acknowledged = 0;

  const sliceOf = (events: readonly Item[]): readonly Item[] => {
    let bytes = 0;
    let count = 0;
    for (const { size } of events) {
      bytes += size + overheadBytes;
      if (count > 0 && (count >= mostEvents || bytes > sliceBound.bytes)) break;
      count += 1;
    }
    return events.slice(0, count);
  };

  /** @throws what the publisher throws; a permanent error only of a single event */
  async function publishSlice(events: readonly Item[]): Promise<readonly Item[]> {
    // Halving finds an event that can never be published; it says nothing about the broker's limits.
    for (let most = Number.POSITIVE_INFINITY; ; ) {
      const slice = sliceOf(events).slice(0, most);
      try {
        if (slice.length > 0) await publish(slice);
        onPublished(slice);
        acknowledged += 1;
        if (acknowledged % slicesBeforeGrowth === 0) mostEvents = Math.min(mostEvents * 2, sliceBound.events);
        return slice;
      } catch (error) {
        const half = Math.max(1, Math.floor(slice.length / 2));
        if (isRetryable(error)) {
          acknowledged = 0;
          mostEvents = half;
          throw error;
        }
        if (slice.length === 1) throw error;
        most = half;
      }
    }
  }

  /** @throws the error itself when too many streams are held back already */
  function holdStream({ stream, version, type, typeVersion }: Item, error: unknown): void {
    if (held.size >= maxHeldStreams) throw error;
    held.add(stream);
    logger.error(
      { err: error, stream, version, type, typeVersion },
      'Event cannot be published; its stream is held back, others go on',
    );
  }

  /** Held-back streams with an event in the shared item. */
  const heldWithin = (item: Item): readonly string[] =>
    held.size === 0 ? [] : (outbox.streamsIn?.(item) ?? []).filter((stream) => held.has(stream));

  /**
   * Holds back streams of an item that cannot be published, as many as still allowed, so that valid ones are published
   * one by one. The others stay in the item, which is retried without them.
   * @returns whether the item is shared. @throws the given error when too many streams are held back
   */
  async function holdEachWithin(item: Item, error: unknown, signal: AbortSignal): Promise<boolean> {
    const within = outbox.streamsIn?.(item);
    if (within === undefined) return false;
    const streams = [...new Set(within)].slice(0, Math.max(0, maxHeldStreams - held.size));
    if (streams.length === 0) throw error;
    const { stream, type, typeVersion } = item;
    logger.error({ err: error, stream, type, typeVersion }, 'Events cannot be published together; each is tried alone');
    // Before the write: if its response is lost, nothing may overtake them.
    for (const one of streams) held.add(one);
    isRetryDue = true;
    await outbox.setApart?.(item, streams);
    failpoint('relay.held');
    await retry(streams, signal);
    isRetryDue = false;
    return true;
  }

  /** From the rows alone: drops streams held in this process only, or published by another leader since. */
  async function readHeldStreams(): Promise<readonly string[]> {
    const streams = await outbox.heldStreams(maxHeldStreams);
    held.clear();
    for (const stream of streams) held.add(stream);
    return streams;
  }

  /** Reads which streams are held back, and publishes what can be published now. */
  async function retryHeld(signal: AbortSignal): Promise<void> {
    await retry(await readHeldStreams(), signal);
    isRetryDue = false;
    if (held.size > 0) logger.error({ schema, streams: held.size }, 'Events are held back: they cannot be published');
  }

  async function retry(streams: readonly string[], signal: AbortSignal): Promise<void> {
    for (const stream of streams) {
      try {
        for (;;) {
          const events = await outbox.readHeld(stream, readBound);
          if (events.length === 0) break;
          if (signal.aborted) return;
          const slice = await publishSlice(events);
          failpoint('relay.held-published');
          await outbox.released(slice);
        }
        held.delete(stream);
        logger.info({ stream }, 'Events that were held back are published');
      } catch (error) {
        if (isRetryable(error)) throw error;
      }
    }
  }

  return {
    heldStreams: (): number => held.size,
    /** Whether a fault prevented the retry of held-back streams. */
    isRetryDue: (): boolean => isRetryDue,
    readHeldStreams,
    retryHeld,

    /** Publishes the next events. Returns how many were read; after a throw or an abort the rest is read again. */
    async publishNext(signal: AbortSignal): Promise<number> {
      const events = await outbox.read(readBound, [...held]);
      for (let rest: readonly Item[] = events; rest.length > 0 && !signal.aborted; ) {
        const [first] = rest as [Item];
        const within = heldWithin(first);
        if (within.length > 0) {
          await outbox.setApart?.(first, within);
          failpoint('relay.held');
          // The rest is read again.
          return events.length;
        }
        const isHeld = held.has(first.stream);
        const other = rest.findIndex((item) => held.has(item.stream) !== isHeld || heldWithin(item).length > 0);
        const alike = other < 0 ? rest : rest.slice(0, other);
        if (isHeld) {
          await outbox.hold(alike);
          failpoint('relay.held');
          rest = rest.slice(alike.length);
          continue;
        }
        try {
          const slice = await publishSlice(alike);
          failpoint('relay.published');
          await outbox.published(slice);
          rest = rest.slice(slice.length);
        } catch (error) {
          if (isRetryable(error)) throw error;
          if (await holdEachWithin(first, error, signal)) return events.length;
          holdStream(first, error);
        }
      }
      return events.length;
    },
  };
}
