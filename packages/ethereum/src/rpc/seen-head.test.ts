import { describe, expect, it } from '@jest/globals';
import { createSeenHead } from './seen-head.ts';

const minute = 60_000;

describe('the head that was seen', () => {
  it('is the highest, and an endpoint lags when it is further behind than allowed', () => {
    const seen = createSeenHead(3, () => 0);
    for (const head of [10, 12, 11]) seen.note(head);
    expect(seen.number()).toBe(12);
    expect([8, 9, 12, 13].map(seen.isBehind)).toEqual([true, false, false, false]);
  });
  it('is kept up by those that are at the head, not by those that lag', () => {
    let time = 0;
    const seen = createSeenHead(3, () => time);
    seen.note(100);
    time = minute;
    seen.note(98);
    time = 2 * minute;
    expect(seen.number()).toBe(100);
    seen.note(50);
    time = 2 * minute + 1;
    expect(seen.number()).toBe(0);
  });
  it('is given up when nobody has confirmed it for a minute: a reset chain is followed again', () => {
    let time = 0;
    const seen = createSeenHead(3, () => time);
    seen.note(100);
    time = minute + 1;
    expect(seen.isBehind(5)).toBe(false);
    seen.note(5);
    expect(seen.number()).toBe(5);
    expect(seen.isBehind(1)).toBe(true);
  });
  it('is nothing before the first: nobody lags', () => {
    const seen = createSeenHead(3, () => 0);
    expect(seen.number()).toBe(0);
    expect(seen.isBehind(0)).toBe(false);
  });
});
