import { expect, it } from '@jest/globals';
import { confirmedUpTo } from './confirmed-up-to.ts';

const chain = { head: 10, safe: 7, finalized: 4 };

it('the last confirmed block follows from the depth (I1)', () => {
  expect(confirmedUpTo(chain, 'safe')).toBe(7);
  expect(confirmedUpTo(chain, 'finalized')).toBe(4);
  expect(confirmedUpTo(chain, 3)).toBe(8);
  expect(confirmedUpTo(chain, 1)).toBeUndefined();
  expect(confirmedUpTo({ ...chain, head: undefined }, 3)).toBeUndefined();
});
