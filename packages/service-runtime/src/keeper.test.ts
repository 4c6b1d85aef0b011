import { describe, expect, it } from '@jest/globals';
import { createKeeper } from './keeper.ts';
import { createLogger } from './logging/logger.ts';

const logger = createLogger({ service: 'test', level: 'silent' });

describe('a keeper', () => {
  it('removes all that is old in steps, again and again, also after a fault', async () => {
    const removed: number[] = [];
    const done = Promise.withResolvers<void>();
    let old = 12_000;
    const keeper = createKeeper({
      of: 'things',
      logger,
      everyMs: 1,
      async forget(limit) {
        if (removed.length === 1) {
          removed.push(0);
          throw new Error('the database is unreachable');
        }
        const some = Math.min(limit, old);
        old -= some;
        removed.push(some);
        if (some < limit) done.resolve();
        return some;
      },
    });
    await keeper.start();
    await done.promise;
    await keeper.stop();
    expect(removed.slice(0, 4)).toEqual([5_000, 0, 5_000, 2_000]);
  });

  it('that stops finishes the step at hand and begins no other', async () => {
    let steps = 0;
    const begun = Promise.withResolvers<void>();
    const step = Promise.withResolvers<void>();
    const keeper = createKeeper({
      of: 'things',
      logger,
      async forget(limit) {
        steps++;
        begun.resolve();
        await step.promise;
        return limit;
      },
    });
    await keeper.start();
    await begun.promise;
    const stopped = keeper.stop();
    step.resolve();
    await stopped;
    expect(steps).toBe(1);
  });
});
