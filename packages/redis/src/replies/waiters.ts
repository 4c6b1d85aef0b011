import type { Reply } from '@indelible/messages';

/** Too many requests wait at the receiver. */
export class TooManyWaitersError extends Error {
  readonly retryable = true;

  constructor(bound: number) {
    super(`More than ${bound} requests wait for replies`);
    this.name = 'TooManyWaitersError';
  }
}

/** The receiver has stopped: query the status instead. */
export class ReceiverStoppedError extends Error {
  readonly retryable = true;

  constructor() {
    super('The receiver of replies has stopped');
    this.name = 'ReceiverStoppedError';
  }
}

export type ReplyWaiter = {
  /** Calls `hear` with each reply to this request, in order of arrival; at once with earlier ones. Call it once. */
  listen(hear: (reply: Reply) => void): void;
  /** Ends the wait. Must always be called. */
  close(): void;
};

/** Replies to one request that came before it listens; a request has four at most. */
const maxKept = 8;

type Entry = { kept: Reply[]; hear: ((reply: Reply) => void) | undefined };

/** Waiting requests, by their ids. */
export const createWaiters = (bound: number) => {
  const entries = new Map<string, Entry>();
  let stopped = false;

  return {
    /** @throws TooManyWaitersError over the bound, ReceiverStoppedError */
    wait(requestId: string): ReplyWaiter {
      if (stopped) throw new ReceiverStoppedError();
      if (entries.size >= bound) throw new TooManyWaitersError(bound);
      if (entries.has(requestId)) throw new Error('The request is waited for already');
      const entry: Entry = { kept: [], hear: undefined };
      entries.set(requestId, entry);
      return {
        listen(hear) {
          const { kept } = entry;
          entry.kept = [];
          entry.hear = hear;
          for (const reply of kept) hear(reply);
        },
        close() {
          if (entries.get(requestId) === entry) entries.delete(requestId);
        },
      };
    },
    /** Passes the reply to the request that waits for it, if any. */
    deliver(reply: Reply): void {
      const entry = entries.get(reply.requestId);
      if (entry === undefined) return;
      if (entry.hear !== undefined) entry.hear(reply);
      else if (entry.kept.length < maxKept) entry.kept.push(reply);
    },
    stop(): void {
      stopped = true;
      entries.clear();
    },
  };
};
