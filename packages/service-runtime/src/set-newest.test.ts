import { describe, expect, it } from '@jest/globals';
import { setNewest } from './set-newest.ts';

describe('setNewest', () => {
  it('removes the entry that was set longest ago when there are too many', () => {
    const map = new Map<string, number>();
    setNewest(map, 'a', 1, 2);
    setNewest(map, 'b', 2, 2);
    setNewest(map, 'a', 3, 2);
    setNewest(map, 'c', 4, 2);
    expect([...map]).toEqual([
      ['a', 3],
      ['c', 4],
    ]);
  });
});
