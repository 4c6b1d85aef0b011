import type { Handler } from './call.ts';

/** An operation that only looks up: its answer begins within the request's time, or is a 503. */
export const lookingUp =
  (handler: Handler): Handler =>
  (call) =>
    call.patience((over) => handler({ ...call, gone: AbortSignal.any([call.gone, over]) }));
