import { describe, expect, it } from '@jest/globals';
import { collectWhilePassing } from './eager-collection.ts';

const mebibyte = 2 ** 20;

/** A stage on which it is seen whether anything is held. */
function stage(pauseMs: number) {
  const ended = Promise.withResolvers<void>();
  let held = 0;
  const hold = () => {
    held++;
    return () => {
      held--;
      ended.resolve();
    };
  };
  return { ...collectWhilePassing(hold, pauseMs), held: () => held, ended: ended.promise };
}

describe('eager collection while a list passes', () => {
  it('begins with the first MiB, not with what a request says of itself', () => {
    const list = stage(60_000);
    list.passed(mebibyte - 1);
    expect(list.held()).toBe(0);
    list.passed(1);
    list.passed(mebibyte);
    expect(list.held()).toBe(1);
    list.end();
    list.end();
    expect(list.held()).toBe(0);
  });

  it('ends while the list rests, and begins again with the next MiB (I12)', async () => {
    const list = stage(1);
    list.passed(mebibyte);
    await list.ended;
    expect(list.held()).toBe(0);
    list.passed(mebibyte - 1);
    expect(list.held()).toBe(0);
    list.passed(1);
    expect(list.held()).toBe(1);
    list.end();
  });
});
