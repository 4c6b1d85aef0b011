import { UnavailableError } from '@indelible/service-runtime';

/**
 * All that one request waits for parts of the service, together: clients wait 30 s. What they wait for after that, they do not get
 * any more, and each part has a longer deadline of its own.
 */
export const patienceMs = 10_000;

/**
 * Has the result of work that is waited for, while the request's time lasts.
 * @param work is given a signal that aborts when the time is over
 * @throws UnavailableError then; what the work throws
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
        const error = new UnavailableError(`no answer from parts of the service within ${limitMs} ms`);
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
