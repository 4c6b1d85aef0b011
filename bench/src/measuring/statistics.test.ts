import { describe, expect, it } from '@jest/globals';
import { medianOf, medianRatio, quantilesOf } from './statistics.ts';

describe('statistics', () => {
  it('take the middle value, or the mean of the middle two, as numbers and not as texts', () => {
    expect(medianOf([10, 9, 100])).toBe(10);
    expect(medianOf([4, 1, 3, 2])).toBe(2.5);
    expect(() => medianOf([])).toThrow(RangeError);
  });

  it('pair each round with the baseline of the same round', () => {
    expect(medianRatio([1, 20, 3], [2, 40, 1])).toBe(0.5);
    expect(medianRatio([1, 2], [1])).toBeUndefined();
  });

  it('have quantiles by the nearest ranks, whatever the order', () => {
    const values = Array.from({ length: 200 }, (_, i) => 200 - i);
    expect(quantilesOf(values)).toEqual({ p50: 100, p99: 198 });
    expect(quantilesOf([7])).toEqual({ p50: 7, p99: 7 });
    expect(() => quantilesOf([])).toThrow(RangeError);
  });
});
