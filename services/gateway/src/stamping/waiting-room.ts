import { UnavailableError } from '@indelible/service-runtime';

/** A request's place among those that wait for an outcome. */
export type Ticket = {
  /** Aborts when the wait limit passes, or when the service stops. */
  readonly signal: AbortSignal;
  leave(): void;
};

/**
 * Bounds how many requests wait, and for how long. On a stop those that wait may finish until they are told to leave:
 * they are answered 503 with their status resource then.
 */
export type WaitingRoom = {
  /** @throws UnavailableError when it is full or closed */
  enter(): Ticket;
  size(): number;
  /** Ends every wait, and refuses further ones. */
  close(): void;
};

export function createWaitingRoom(options: { readonly maxWaiting: number; readonly waitLimitMs: number }): WaitingRoom {
  const waiting = new Set<AbortController>();
  let closed = false;
  return {
    enter() {
      if (closed) throw new UnavailableError('the service is stopping');
      if (waiting.size >= options.maxWaiting) throw new UnavailableError('too many requests are waiting');
      const controller = new AbortController();
      const timer = setTimeout(() => controller.abort(new Error('the wait limit has passed')), options.waitLimitMs);
      waiting.add(controller);
      return {
        signal: controller.signal,
        leave() {
          clearTimeout(timer);
          waiting.delete(controller);
        },
      };
    },
    size: () => waiting.size,
    close() {
      closed = true;
      for (const controller of waiting) controller.abort(new Error('the service is stopping'));
    },
  };
}
