import { describe, expect, it } from '@jest/globals';
import { createPace, mostInFlight } from './receiver-pace.ts';

const placesAfter = (...durationsMs: number[]): number => {
  const pace = createPace();
  for (const durationMs of durationsMs) pace.delivered(durationMs);
  return pace.placesAt(0);
};
const times = (count: number, durationMs: number): number[] => Array.from({ length: count }, () => durationMs);

describe('the pace of a receiver (I12)', () => {
  it('is two requests at a time at first, and eight when it answers within a second', () => {
    expect(placesAfter()).toBe(2);
    expect(placesAfter(...times(20, 50))).toBe(mostInFlight);
    expect(placesAfter(...times(20, 1_000))).toBe(mostInFlight);
  });

  it.each([
    [2_000, 4],
    [4_000, 2],
    [8_000, 1],
    [14_000, 1],
  ])('of %d ms an answer gives it %d at a time, whatever it answers', (durationMs, places) => {
    expect(placesAfter(...times(20, durationMs))).toBe(places);
  });

  it('grows narrow when it becomes slow, and wide again when it is fast', () => {
    expect(placesAfter(...times(20, 50), ...times(20, 14_000))).toBe(1);
    expect(placesAfter(...times(20, 14_000), ...times(30, 50))).toBe(mostInFlight);
  });

  it('is one after a failure, and none while it pauses', () => {
    const pace = createPace();
    pace.delivered(10);
    pace.failed(10, 120_000, 5_000);
    expect([pace.placesAt(124_999), pace.placesAt(125_000), pace.isFailing()]).toEqual([0, 1, false]);
    pace.failed(10, 0, 125_000);
    pace.failed(10, 0, 125_000);
    expect(pace.isFailing()).toBe(true);
  });
});
