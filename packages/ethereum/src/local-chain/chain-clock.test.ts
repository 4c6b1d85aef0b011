import { describe, expect, it } from '@jest/globals';
import { beat, startClock } from './chain-clock.ts';

describe('beat', () => {
  it('mines at every tick while there is work, and until that is final', () => {
    let state = beat(startClock(0), 0, true).state;
    const mined = Array.from({ length: 300 }, (_, tick) => {
      const next = beat(state, tick * 1_000, false);
      state = next.state;
      return next.mine;
    });
    expect(mined.slice(0, 128)).toEqual(Array(128).fill(true));
    expect(mined.slice(128).filter((mine) => mine)).toHaveLength(5);
    expect(beat(state, 300_000, true).mine).toBe(true);
  });
});
