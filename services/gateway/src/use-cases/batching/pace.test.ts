import { describe, expect, it } from '@jest/globals';
import { createPace } from './pace.ts';

describe('the pace of a batch', () => {
  let now = 0;
  const pace = createPace({ first: 100, spanMs: 1_000, now: () => now });

  it('begins small, and has room for as many more as were confirmed of late', () => {
    expect(pace.room(0)).toBe(100);
    expect(pace.room(100)).toBe(0);
    pace.confirmed(100);
    expect(pace.room(0)).toBe(200);
    now = 500;
    pace.confirmed(200);
    expect(pace.room(0)).toBe(400);
  });

  it('forgets what was confirmed long ago, and never stops for ever', () => {
    now = 1_001;
    expect(pace.room(250)).toBe(50);
    now = 5_000;
    expect(pace.room(250)).toBe(-150);
    expect(pace.room(0)).toBe(100);
  });
});
