import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createDeadlines } from './deadlines.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('deadlines of equal length', () => {
  it('end each at its time, by one timer, and none that was removed', () => {
    const deadlines = createDeadlines(1_000);
    const ended: string[] = [];
    const ends = ['a', 'b', 'c'].map((name) => () => void ended.push(name)) as [() => void, () => void, () => void];
    deadlines.add(ends[0]);
    jest.advanceTimersByTime(400);
    deadlines.add(ends[1]);
    deadlines.add(ends[2]);
    expect(jest.getTimerCount()).toBe(1);
    expect(deadlines.remove(ends[1])).toBe(true);
    jest.advanceTimersByTime(600);
    expect(ended).toEqual(['a']);
    jest.advanceTimersByTime(401);
    expect(ended).toEqual(['a', 'c']);
    expect([deadlines.remove(ends[0]), deadlines.remove(ends[1])]).toEqual([false, false]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('leave no timer behind when all are removed', () => {
    const deadlines = createDeadlines(1_000);
    const end = (): void => {
      throw new Error('it was removed');
    };
    deadlines.add(end);
    deadlines.remove(end);
    expect(jest.getTimerCount()).toBe(0);
    deadlines.add(() => {});
    expect(jest.getTimerCount()).toBe(1);
  });

  it('may add another while one ends', () => {
    const deadlines = createDeadlines(1_000);
    let ends = 0;
    const again = (): void => {
      if (++ends < 3) deadlines.add(again);
    };
    deadlines.add(again);
    jest.advanceTimersByTime(500);
    let last = false;
    deadlines.add(() => {
      last = true;
    });
    jest.advanceTimersByTime(510);
    expect(jest.getTimerCount()).toBe(1);
    jest.advanceTimersByTime(2_010);
    expect([ends, last]).toEqual([3, true]);
    expect(jest.getTimerCount()).toBe(0);
  });
});
