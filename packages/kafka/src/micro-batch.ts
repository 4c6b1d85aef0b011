import { BrokerUnavailableError, PublisherBusyError } from './errors.ts';

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

  const take = (): { items: Item[]; calls: Map<Call<Item>, number> } => {
    const items: Item[] = [];
    const calls = new Map<Call<Item>, number>();
    let bytes = 0;
    for (let call = queue[0]; call !== undefined; call = queue[0]) {
      const start = call.next;
      for (let item = call.items[call.next]; item !== undefined; item = call.items[call.next]) {
        bytes += options.sizeOf(item);
        if (items.length > 0 && (bytes > options.maxBatchBytes || items.length >= options.maxBatchItems)) break;
        items.push(item);
        call.next += 1;
      }
      if (call.next > start) calls.set(call, call.next - start);
      queued -= call.next - start;
      if (call.next < call.items.length) break;
      queue.shift();
    }
    return { items, calls };
  };

  const linger = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, options.lingerMs);
      wakeLinger = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const pump = async () => {
    if (!isFull() && !closed) await linger();
    wakeLinger = undefined;
    while (queue.length > 0) {
      const { items, calls } = take();
      try {
        await options.send(items);
        for (const [call, count] of calls) {
          call.unacknowledged -= count;
          if (call.unacknowledged === 0) call.settle();
        }
      } catch (error) {
        for (const call of calls.keys()) call.settle(error as Error);
      }
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
