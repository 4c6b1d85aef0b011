import { describe, expect, it } from '@jest/globals';
import { lookUp } from './look-up.ts';

describe('what a scrape looks up', () => {
  it('is requested once for all scrapes of its time, and a fault is no answer', async () => {
    let asked = 0;
    const look = lookUp(async () => ++asked);
    expect(await Promise.all([look(), look()])).toEqual([1, 1]);
    expect(await look()).toBe(1);
    expect(await lookUp(() => Promise.reject(new Error('unreachable')))()).toBeUndefined();
  });

  it('holds up no scrape longer than its time', async () => {
    expect(await lookUp(() => new Promise(() => {}), { timeoutMs: 10 })()).toBeUndefined();
  });
});
