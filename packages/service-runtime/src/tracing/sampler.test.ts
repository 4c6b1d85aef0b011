import { describe, expect, it } from '@jest/globals';
import { createSampler, mostRequestedPerSecond } from './sampler.ts';

const parent = (flags: string, random = '00000000000000'): string =>
  `00-4bf92f3577b34da6aa${random}-00f067aa0ba902b7-${flags}`;
const sampled = parent('01', 'ffffffffffffff');
const refused = parent('00');
const at = (seconds: number) => () => seconds * 1000;

describe('the sampler', () => {
  it('follows the caller where it is based on the parent, and its ratio otherwise', () => {
    const on = createSampler({ parentBased: true, ratio: 1 }, at(1));
    expect([undefined, sampled, refused].map(on)).toEqual([true, true, false]);
    const off = createSampler({ parentBased: true, ratio: 0 }, at(1));
    expect([undefined, sampled, refused].map(off)).toEqual([false, true, false]);
    const always = createSampler({ parentBased: false, ratio: 1 }, at(1));
    expect([undefined, sampled, refused].map(always)).toEqual([true, true, true]);
  });

  it('decides of a trace by its id: the same everywhere', () => {
    const some = createSampler({ parentBased: false, ratio: 0.5 }, at(1));
    expect([parent('00', '01000000000000'), parent('00', '0f000000000000')].map(some)).toEqual([true, false]);
  });

  it('lets callers have so many traces a second beyond the ratio, and no more (I12)', () => {
    let seconds = 1;
    const sampler = createSampler({ parentBased: true, ratio: 0 }, () => seconds * 1000);
    const taken = (): number => Array.from({ length: 1_000 }, () => sampler(sampled)).filter(Boolean).length;
    expect(taken()).toBe(mostRequestedPerSecond);
    seconds = 2;
    expect(taken()).toBe(mostRequestedPerSecond);
  });
});
