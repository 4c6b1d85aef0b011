import { UnavailableError } from '@indelible/service-runtime';

/**
 * How long one request waits in total for other services. Clients wait 30 s; a single service's own deadline is longer.
 */
export const patienceMs = 10_000;

/**
 * Waits for the result of work while the request's time lasts.
 * @param work gets a signal that aborts when the time is over
 * @throws UnavailableError when the time is over; what the work throws
 */
export type Patience = <Result>(work: (over: AbortSignal) => Promise<Result>) => Promise<Result>;

/** The time of one request. Only waiting by it counts, so a client may take longer to send its body. */
export function createPatience(limitMs: number): Patience {
  let leftMs = limitMs;
  return async (work) => {
    const began = performance.now();
    const over = new AbortController();
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => {
        const error = new UnavailableError(`other services did not answer within ${limitMs} ms`);
        late.reject(error);
        over.abort(error);
      },
      Math.max(0, leftMs),
    );
    try {
      return await Promise.race([work(over.signal), late.promise]);
    } finally {
      clearTimeout(timer);
      leftMs -= performance.now() - began;
    }
  };
}
