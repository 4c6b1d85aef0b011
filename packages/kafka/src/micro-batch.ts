import { BrokerUnavailableError, PublisherBusyError, RecordsRefusedError } from './errors.ts';

export type MicroBatchOptions<Item> = {
  /** One call at a time, so that the order of the items is the order of the queue. */
  send: (items: readonly Item[]) => Promise<void>;
  sizeOf: (item: Item) => number;
  /** How long the first item of an idle queue waits for company. Under load the send in flight is the linger. */
  lingerMs: number;
  maxBatchBytes: number;
  maxBatchItems: number;
  maxQueued: number;
  /** How long a caller waits at most, queueing and sending together. */
  timeoutMs: number;
};

type Call<Item> = {
  /** What of this call is not yet handed to `send`, from `next` on. */
  readonly items: readonly Item[];
  next: number;
  unacknowledged: number;
  settled: boolean;
  readonly settle: (error?: Error) => void;
};

/** A call, and how many of its items are in a send. */
type Part<Item> = readonly [call: Call<Item>, count: number];

/**
 * Gathers the items of many callers into few sends, in the order of the calls. A call that failed or timed out has
 * none of its remaining items sent: its caller sends all of them again, so a later one must not overtake an earlier.
 */
export const createMicroBatch = <Item>(options: MicroBatchOptions<Item>) => {
  const queue: Call<Item>[] = [];
  let queued = 0;
  let closed = false;
  let pumping: Promise<void> | undefined;
  let wakeLinger: (() => void) | undefined;

  const isFull = () => queued >= options.maxBatchItems;

  const forget = (call: Call<Item>) => {
    queued -= call.items.length - call.next;
    const index = queue.indexOf(call);
    if (index >= 0) queue.splice(index, 1);
  };

  const take = (): { items: Item[]; parts: Part<Item>[] } => {
    const items: Item[] = [];
    const parts: Part<Item>[] = [];
    let bytes = 0;
    for (let call = queue[0]; call !== undefined; call = queue[0]) {
      const start = call.next;
      for (let item = call.items[call.next]; item !== undefined; item = call.items[call.next]) {
        bytes += options.sizeOf(item);
        if (items.length > 0 && (bytes > options.maxBatchBytes || items.length >= options.maxBatchItems)) break;
        items.push(item);
        call.next += 1;
      }
      if (call.next > start) parts.push([call, call.next - start]);
      queued -= call.next - start;
      if (call.next < call.items.length) break;
      queue.shift();
    }
    return { items, parts };
  };

  const linger = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, options.lingerMs);
      wakeLinger = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  /** Sends the parts of several calls together; if one of them is refused, halves of them, down to the call at fault. */
  const sendParts = async (items: readonly Item[], parts: readonly Part<Item>[]): Promise<void> => {
    if (parts.every(([call]) => call.settled)) return;
    try {
      await options.send(items);
    } catch (error) {
      if (parts.length > 1 && error instanceof RecordsRefusedError) {
        const [first, second] = [parts.slice(0, parts.length >> 1), parts.slice(parts.length >> 1)];
        const count = first.reduce((sum, [, each]) => sum + each, 0);
        await sendParts(items.slice(0, count), first);
        await sendParts(items.slice(count), second);
      } else for (const [call] of parts) call.settle(error as Error);
      return;
    }
    for (const [call, count] of parts) {
      call.unacknowledged -= count;
      if (call.unacknowledged === 0) call.settle();
    }
  };

  const pump = async () => {
    if (!isFull() && !closed) await linger();
    wakeLinger = undefined;
    while (queue.length > 0) {
      const { items, parts } = take();
      await sendParts(items, parts);
    }
    pumping = undefined;
  };

  return {
    /**
     * Resolves when all items are sent.
     * @throws PublisherBusyError when the queue is over its bound, BrokerUnavailableError when the time is over or the
     * queue is closed, or what `send` rejected with.
     */
    add(items: readonly Item[]): Promise<void> {
      if (items.length === 0) return Promise.resolve();
      if (closed) return Promise.reject(new BrokerUnavailableError('The publisher is stopped'));
      // One call larger than the bound is let into an empty queue: it could never be sent otherwise.
      if (queued > 0 && queued + items.length > options.maxQueued) {
        return Promise.reject(new PublisherBusyError(queued));
      }
      return new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => call.settle(new BrokerUnavailableError(`Not acknowledged within ${options.timeoutMs} ms`)),
          options.timeoutMs,
        );
        const call: Call<Item> = {
          items,
          next: 0,
          unacknowledged: items.length,
          settled: false,
          settle(error) {
            if (call.settled) return;
            call.settled = true;
            clearTimeout(timer);
            if (error === undefined) return resolve();
            forget(call);
            reject(error);
          },
        };
        queue.push(call);
        queued += items.length;
        pumping ??= pump();
        if (isFull()) wakeLinger?.();
      });
    },
    /** Takes nothing more in, and resolves when what was queued is sent or has failed. */
    async close(): Promise<void> {
      closed = true;
      wakeLinger?.();
      await pumping;
    },
  };
};
