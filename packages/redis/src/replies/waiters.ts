import type { Reply } from '@indelible/messages';

/** More requests wait than the receiver's bound. */
export class TooManyWaitersError extends Error {
  readonly retryable = true;

  constructor(bound: number) {
    super(`More than ${bound} requests wait for replies`);
    this.name = 'TooManyWaitersError';
  }
}

/** The receiver has stopped: ask for the status instead. */
export class ReceiverStoppedError extends Error {
  readonly retryable = true;

  constructor() {
    super('The receiver of replies has stopped');
    this.name = 'ReceiverStoppedError';
  }
}

export type ReplyWaiter = {
  /**
   * The next reply to this request, in the order of arrival. One call at a time.
   * Rejects with the signal's reason when it aborts, and with ReceiverStoppedError.
   */
  next(signal: AbortSignal): Promise<Reply>;
  /** Calls `hear` with each reply, those kept so far at once; in place of `next`, and nothing tells when the receiver stops. */
  listen(hear: (reply: Reply) => void): void;
  /** Hears no more. To be called in any case. */
  close(): void;
};

/** Replies to one request that nobody has asked for yet; a request has four at most. */
const maxKept = 8;

type Waiting = { readonly resolve: (reply: Reply) => void; readonly reject: (error: Error) => void };
type Entry = { kept: Reply[]; waiting: Waiting | undefined; hear: ((reply: Reply) => void) | undefined };

/** Who waits for which request, by its id. */
export const createWaiters = (bound: number) => {
  const entries = new Map<string, Entry>();
  let stopped = false;

  const next = (entry: Entry, signal: AbortSignal): Promise<Reply> => {
    if (stopped) return Promise.reject(new ReceiverStoppedError());
    if (signal.aborted) return Promise.reject(signal.reason);
    const kept = entry.kept.shift();
    if (kept !== undefined) return Promise.resolve(kept);
    if (entry.waiting !== undefined) return Promise.reject(new Error('One next() at a time'));
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        entry.waiting = undefined;
        reject(signal.reason);
      };
      const settled = () => {
        entry.waiting = undefined;
        signal.removeEventListener('abort', onAbort);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      entry.waiting = {
        resolve(reply) {
          settled();
          resolve(reply);
        },
        reject(error) {
          settled();
          reject(error);
        },
      };
    });
  };

  return {
    /** @throws TooManyWaitersError over the bound. */
    wait(requestId: string): ReplyWaiter {
      if (stopped) throw new ReceiverStoppedError();
      if (entries.size >= bound) throw new TooManyWaitersError(bound);
      if (entries.has(requestId)) throw new Error('The request is waited for already');
      const entry: Entry = { kept: [], waiting: undefined, hear: undefined };
      entries.set(requestId, entry);
      return {
        next: (signal) => next(entry, signal),
        listen(hear) {
          const { kept } = entry;
          entry.kept = [];
          entry.hear = hear;
          for (const reply of kept) hear(reply);
        },
        close() {
          if (entries.get(requestId) === entry) entries.delete(requestId);
          entry.waiting?.reject(new ReceiverStoppedError());
        },
      };
    },
    /** Hands the reply to who waits for it; others are nobody's any more. */
    deliver(reply: Reply): void {
      const entry = entries.get(reply.requestId);
      if (entry === undefined) return;
      if (entry.hear !== undefined) entry.hear(reply);
      else if (entry.waiting !== undefined) entry.waiting.resolve(reply);
      else if (entry.kept.length < maxKept) entry.kept.push(reply);
    },
    stop(): void {
      stopped = true;
      for (const entry of entries.values()) entry.waiting?.reject(new ReceiverStoppedError());
      entries.clear();
    },
  };
};
