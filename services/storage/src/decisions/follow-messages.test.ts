import { describe, expect, it } from '@jest/globals';
import { type Caught, followMessages, type Look, nothingCaught, sweptBefore } from './follow-messages.ts';

const pauseMs = 10;
/** One partition each of commands.stamps, commands.files and events.stamps, as [handled, end]. */
const look = (at: number, stamps: [number, number], files: [number, number], events: [number, number]): Look => {
  const progress = ([handled, end]: [number, number]) => [{ partition: 0, handled: BigInt(handled), end: BigInt(end) }];
  return { at, commands: [progress(stamps), progress(files)], events: progress(events), deadLetters: false };
};
const follow = (...looks: Look[]): Caught =>
  looks.reduce((caught, one) => followMessages(caught, one, pauseMs), nothingCaught);

describe('following the messages that may name staged content (I7)', () => {
  it('knows in silence, after the pause, that all that was published has come', () => {
    expect(follow(look(100, [5, 5], [0, 0], [7, 7])).caughtUpAt).toBeUndefined();
    expect(follow(look(100, [5, 5], [0, 0], [7, 7]), look(110, [5, 5], [0, 0], [7, 7])).caughtUpAt).toBe(100);
  });

  it.each<[string, Look]>([
    ['stamping', look(110, [4, 9], [3, 3], [7, 7])],
    ['the consumer of files', look(110, [5, 9], [2, 3], [7, 7])],
    ['the consumer of stamp events', look(110, [5, 5], [3, 3], [6, 7])],
  ])('knows nothing while %s is behind', (_, later) => {
    const caught = follow(look(100, [4, 5], [3, 3], [7, 7]), later, { ...later, at: 120 }, { ...later, at: 9_000 });
    expect(caught.caughtUpAt).toBeUndefined();
  });

  it('waits for the events that the commands became, which come later than these', () => {
    const first = look(100, [5, 5], [0, 0], [7, 7]);
    const recorded = look(110, [5, 5], [0, 0], [7, 8]);
    expect(follow(first, recorded).caughtUpAt).toBeUndefined();
    expect(follow(first, recorded, look(120, [5, 5], [0, 0], [8, 8])).caughtUpAt).toBe(100);
  });

  it('advances under constant load, when no group is ever idle', () => {
    const looks = Array.from({ length: 12 }, (_, n) =>
      look(100 + 10 * n, [10 * n - 3, 10 * n], [n, n + 1], [10 * n - 3, 10 * n]),
    );
    expect(follow(...looks).caughtUpAt).toBeGreaterThan(150);
  });

  it('advances when a partition is added', () => {
    const more = look(110, [5, 5], [0, 0], [7, 7]);
    const added = { ...more, events: [...more.events, { partition: 1, handled: 0n, end: 0n }] };
    expect(follow(look(100, [5, 5], [0, 0], [7, 7]), added).caughtUpAt).toBe(100);
  });
});

describe('what may be swept (I7)', () => {
  const day = 86_400_000;
  const times = { now: 100 * day, afterMs: day, marginMs: day / 24, deadLetters: false };
  const caughtUp = (caughtUpAt: number | undefined) => ({ pursuit: undefined, caughtUpAt });

  it('is nothing while it is not known what has come', () => {
    expect(sweptBefore(nothingCaught, times)).toBeUndefined();
  });
  it('is what is past its deadline when all has come', () => {
    expect(sweptBefore(caughtUp(99.9 * day), times)).toEqual(new Date(99 * day));
  });
  it('is only what is older than the last message that has come, less the time to publish one', () => {
    expect(sweptBefore(caughtUp(90 * day), times)).toEqual(new Date(90 * day - day / 24));
  });
  it('is only what is older than any message that can be replayed, while there are dead letters', () => {
    expect(sweptBefore(caughtUp(99.9 * day), { ...times, deadLetters: true })).toEqual(new Date(85 * day));
  });
});
