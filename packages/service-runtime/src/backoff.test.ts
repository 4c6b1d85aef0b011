import { describe, expect, it } from '@jest/globals';
import { createBackoff, wait } from './backoff.ts';

describe('backoff', () => {
  it('doubles up to its ceiling', () => {
    const backoff = createBackoff({ firstMs: 100, ceilingMs: 1000, random: () => 1 });
    expect([1, 2, 3, 4, 5, 1_000_000].map(backoff)).toEqual([100, 200, 400, 800, 1000, 1000]);
  });

  it('leaves half of the wait to chance, so that many do not come back at once', () => {
    const backoff = createBackoff({ firstMs: 100, ceilingMs: 1000, random: () => 0 });
    expect([1, 2].map(backoff)).toEqual([50, 100]);
  });

  it('ends a wait with the reason of its signal', async () => {
    const controller = new AbortController();
    const waiting = wait(1_000_000, controller.signal);
    controller.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
  });
});
