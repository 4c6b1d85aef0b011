import { BrokerUnavailableError, PublisherBusyError, RecordsRefusedError } from './errors.ts';

export type MicroBatchOptions<Item> = {
  /** One call at a time, so that the order of the items is the order of the queue. */
  send: (items: readonly Item[]) => Promise<void>;
  sizeOf: (item: Item) => number;
  /** How long the first item of an idle queue waits for others. Under load the send in flight is the linger. */
  lingerMs: number;
  maxBatchBytes: number;
  maxBatchItems: number;
  maxQueued: number;
  /** How long a caller waits at most, queueing and sending together. */
  timeoutMs: number;
};

type Call<Item> = {
  /** Items not yet passed to `send`, from `next` on. */
  readonly items: readonly Item[];
  next: number;
  unacknowledged: number;
  settled: boolean;
  readonly settle: (error?: Error) => void;
};

/** A call, and its items in a send. */
type Part<Item> = readonly [call: Call<Item>, items: readonly Item[]];

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

  const take = (): Part<Item>[] => {
    const parts: Part<Item>[] = [];
    let taken = 0;
    let bytes = 0;
    for (let call = queue[0]; call !== undefined; call = queue[0]) {
      const start = call.next;
      for (let item = call.items[call.next]; item !== undefined; item = call.items[call.next]) {
        bytes += options.sizeOf(item);
        if (taken > 0 && (bytes > options.maxBatchBytes || taken >= options.maxBatchItems)) break;
        taken += 1;
        call.next += 1;
      }
      if (call.next > start) parts.push([call, call.items.slice(start, call.next)]);
      queued -= call.next - start;
      if (call.next < call.items.length) break;
      queue.shift();
    }
    return parts;
  };

  const linger = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, options.lingerMs);
      wakeLinger = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  /**
   * Sends the parts of several calls together; if one of them is refused, halves of them, down to the invalid call.
   * Calls that are settled by then are left out. When the brokers are unavailable, what is left of the parts fails too.
   */
  const sendParts = async (parts: readonly Part<Item>[]): Promise<void> => {
    const groups = [parts];
    for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
      const waiting = group.filter(([call]) => !call.settled);
      if (waiting.length === 0) continue;
      try {
        await options.send(waiting.flatMap(([, items]) => items));
      } catch (error) {
        const middle = waiting.length >> 1;
        if (middle > 0 && error instanceof RecordsRefusedError) {
          groups.unshift(waiting.slice(0, middle), waiting.slice(middle));
          continue;
        }
        const failed = error instanceof BrokerUnavailableError ? [waiting, ...groups.splice(0)].flat() : waiting;
        for (const [call] of failed) call.settle(error as Error);
        continue;
      }
      for (const [call, items] of waiting) {
        call.unacknowledged -= items.length;
        if (call.unacknowledged === 0) call.settle();
      }
    }
  };

  const pump = async () => {
    if (!isFull() && !closed) await linger();
    wakeLinger = undefined;
    while (queue.length > 0) {
      await sendParts(take());
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
      // An empty queue accepts a call above the limit: it could never be sent otherwise.
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
    /** Accepts nothing more; resolves when all queued items are sent or have failed. */
    async close(): Promise<void> {
      closed = true;
      wakeLinger?.();
      await pumping;
    },
  };
};
