import { describe, expect, it } from '@jest/globals';
import { settlesWithin, within } from './time-limits.ts';

const never = new Promise<never>(() => {});
const late = () => new Error('late');

describe('within', () => {
  it('has the outcome of work that ends in time', async () => {
    expect(await within(60_000, Promise.resolve(7), late)).toBe(7);
    await expect(within(60_000, Promise.reject(new Error('failed')), late)).rejects.toThrow('failed');
  });

  it('rejects with the given error when the time is over', async () => {
    await expect(within(1, never, late)).rejects.toThrow('late');
  });
});

describe('settlesWithin', () => {
  it('is true for work that ends or fails in time, false for other work', async () => {
    expect(await settlesWithin(60_000, Promise.resolve())).toBe(true);
    expect(await settlesWithin(60_000, Promise.reject(new Error('failed')))).toBe(true);
    expect(await settlesWithin(1, never)).toBe(false);
  });
});
