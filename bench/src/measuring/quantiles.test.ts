import { describe, expect, it } from '@jest/globals';
import { quantilesOf } from './quantiles.ts';

describe('quantiles', () => {
  it('are the nearest ranks, whatever the order', () => {
    const values = Array.from({ length: 200 }, (_, i) => 200 - i);
    expect(quantilesOf(values)).toEqual({ p50: 100, p90: 180, p99: 198 });
    expect(quantilesOf([7])).toEqual({ p50: 7, p90: 7, p99: 7 });
  });

  it('are refused of nothing', () => {
    expect(() => quantilesOf([])).toThrow(RangeError);
  });
});
