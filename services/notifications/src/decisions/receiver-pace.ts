import { pauseMsAfter } from './webhook-health.ts';

export const mostInFlight = 8;
const firstInFlight = 2;
/** The part of the places shared by all webhooks that a receiver may use per second; at least one place. */
const placeMsPerSecond = mostInFlight * 1_000;
/** Weight of the last response in the average duration. */
const weight = 0.25;

/**
 * Concurrent requests of a receiver: two at first, more as it accepts them, up to eight if it responds within a second
 * and fewer the longer it takes, so that a slow one gets few places for its long requests; one after a failure, none
 * during a pause.
 */
export function createPace() {
  let places = firstInFlight;
  let usualMs: number | undefined;
  let failures = 0;
  let pausedUntil = 0;

  const took = (durationMs: number): void => {
    usualMs = usualMs === undefined ? durationMs : usualMs + weight * (durationMs - usualMs);
    const most = Math.max(1, Math.floor(placeMsPerSecond / Math.max(usualMs, 1)));
    places = Math.min(places, most, mostInFlight);
  };

  return {
    placesAt: (now: number): number => (now < pausedUntil ? 0 : places),
    /** Whether its deliveries keep failing. */
    isFailing: (): boolean => pauseMsAfter(failures) > 0,
    /** It took a delivery. */
    delivered(durationMs: number): void {
      failures = 0;
      places += 1;
      took(durationMs);
    },
    /** @param wantedMs how long the receiver wants to rest */
    failed(durationMs: number, wantedMs: number, now: number): void {
      failures += 1;
      took(durationMs);
      places = 1;
      pausedUntil = now + Math.max(pauseMsAfter(failures), wantedMs);
    },
  };
}
