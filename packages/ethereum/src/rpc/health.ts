import type { RpcUnavailableError } from './errors.ts';
import { createLatency, type Latency } from './latency.ts';

/** What is known of one endpoint. Times in ms of `now`. */
export type Health = {
  readonly latency: { readonly single: Latency; readonly batch: Latency };
  faults(): number;
  /** It failed recently: used when no other can respond. */
  resting(): boolean;
  /** It sent Retry-After: not used before. */
  limited(): boolean;
  limitedForMs(): number;
  noteFault(error: RpcUnavailableError): void;
  noteAnswer(): void;
  /** Another endpoint with a later request has responded first. @returns true if that happens repeatedly */
  noteLoss(): boolean;
};

/** An endpoint that lost this often in a row without its own response counts as failing. */
const lossesInARow = 3;
const shortestRestMs = 1_000;
const longestRestMs = 30_000;
/** Whatever an endpoint says, it is used again after this. */
const longestLimitMs = 60_000;

export function createHealth(now: () => number): Health {
  let faults = 0;
  let losses = 0;
  let restsUntil = 0;
  let limitedUntil = 0;
  return {
    latency: { single: createLatency(), batch: createLatency() },
    faults: () => faults,
    resting: () => restsUntil > now(),
    limited: () => limitedUntil > now(),
    limitedForMs: () => Math.max(0, limitedUntil - now()),
    noteFault: (error) => {
      faults++;
      const rest = Math.min(longestRestMs, shortestRestMs * 2 ** Math.min(faults - 1, 10));
      restsUntil = now() + rest;
      if (error.fault === 'rate-limited' || error.retryAfterMs !== undefined)
        limitedUntil = now() + Math.min(longestLimitMs, error.retryAfterMs ?? rest);
    },
    noteAnswer: () => {
      faults = 0;
      losses = 0;
      restsUntil = 0;
      limitedUntil = 0;
    },
    noteLoss: () => {
      losses = (losses + 1) % lossesInARow;
      return losses === 0;
    },
  };
}
