import { describe, expect, it } from '@jest/globals';
import { longestGap } from './standstill-sampler.ts';

describe('the longest time without an answer', () => {
  it('is found between answers, in whatever order they are given', () => {
    expect(longestGap([14, 10, 11, 12], 15)).toEqual({ from: 12, to: 14 });
  });
  it('is the time since the last answer when nothing came any more', () => {
    expect(longestGap([10, 11], 20)).toEqual({ from: 11, to: 20 });
  });
  it('is nothing when there was no answer at all', () => {
    expect(longestGap([], 20)).toEqual({ from: 20, to: 20 });
  });
});
