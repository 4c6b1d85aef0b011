import { describe, expect, it } from '@jest/globals';
import { createFlowWatch } from './flow-watch.ts';

const stalledMs = 30_000;
/** A client that moves `perSecond` bytes in each second, and is checked every second. */
function run(
  seconds: number,
  perSecond: (second: number) => number,
  waits: (second: number) => boolean = () => true,
  patience = 1,
) {
  let time = 0;
  let moved = 0;
  let end: { second: number; why: string } | undefined;
  const watch = createFlowWatch({ stalledMs, minRate: 1_024, now: () => time });
  const forget = watch.add({
    moved: () => moved,
    waits: () => waits(time / 1_000),
    patience,
    cut: (why) => {
      end = { second: time / 1_000, why };
    },
  });
  for (let second = 1; second <= seconds && end === undefined; second++) {
    time = second * 1_000;
    moved += perSecond(second);
    watch.look();
  }
  forget();
  return end;
}

describe('a client', () => {
  it('that stalls is cut off after the limit', () => {
    expect(run(100, () => 0)).toEqual({ second: 30, why: 'still' });
    expect(run(100, (second) => (second <= 10 ? 5_000 : 0))).toEqual({ second: 40, why: 'still' });
  });
  it('that sends a byte now and then is cut for its rate', () => {
    expect(run(1_000, (second) => (second % 29 === 0 ? 1 : 0))).toEqual({ second: 60, why: 'slow' });
    expect(run(1_000, () => 1_000)).toEqual({ second: 60, why: 'slow' });
    expect(run(1_000, (second) => (second <= 600 ? 100_000 : 10))?.why).toBe('slow');
  });
  it('that keeps to the rate may take as long as it likes', () => {
    expect(run(50_000, () => 1_024)).toBeUndefined();
    expect(run(50_000, (second) => (second % 20 === 0 ? 40_000 : 0))).toBeUndefined();
  });
  it('is waited for longer where its taking shows in large steps only', () => {
    const takes = (second: number) => (second % 160 === 0 ? 1_300_000 : 0);
    expect(run(50_000, takes)?.why).toBe('still');
    expect(run(50_000, takes, () => true, 10)).toBeUndefined();
    expect(
      run(
        1_000,
        () => 0,
        () => true,
        10,
      ),
    ).toEqual({ second: 300, why: 'still' });
  });
  it('is not cut for time that was ours', () => {
    expect(
      run(
        1_000,
        () => 0,
        () => false,
      ),
    ).toBeUndefined();
    expect(
      run(
        1_000,
        (second) => (second % 5 === 0 ? 2_000 : 0),
        (second) => second % 5 === 0,
      ),
    ).toBeUndefined();
  });
});
