import { describe, expect, it } from '@jest/globals';
import { createBatchPace } from './batch-pace.ts';

const settings = { lingerMs: 10, maxInFlight: 24 };
const { lingerMs, maxInFlight } = settings;

/**
 * Batches of a lane until the block, while stamps arrive one by one at a rate: their number, and the average wait of a
 * stamp in ms. Signing and sending take 8 ms. `until` is the end: before the block's time when no more batches may be
 * in flight.
 */
function blockOf(stampsPerSecond: number, blockMs = 1_000) {
  const pace = createBatchPace(settings);
  const every = 1_000 / stampsPerSecond;
  let next = 0;
  let waited = 0;
  let stamps = 0;
  let batches = 0;
  let now = 0;
  while (now < blockMs && batches < maxInFlight) {
    if (next >= blockMs) now = blockMs;
    if (now === blockMs) break;
    if (next > now) now = next + Math.max(lingerMs, pace.nextMs(batches, next));
    for (; next <= now; next += every) {
      waited += now - next;
      stamps += 1;
    }
    pace.closed(now);
    batches += 1;
    now += Math.max(8, pace.nextMs(batches, now));
  }
  return { batches, until: now, meanMs: waited / stamps };
}

describe('the pace of a lane', () => {
  it('holds back nothing that comes later than the gap behind the batch before', () => {
    const pace = createBatchPace(settings);
    expect(pace.nextMs(0, 5_000)).toBe(0);
    pace.closed(5_010);
    expect(pace.nextMs(1, 5_035)).toBe(0);
  });

  it('lets stamps that come slowly leave alone, each soon: to wait would gain no company', () => {
    const { batches, meanMs } = blockOf(10);
    expect(batches).toBe(10);
    expect(meanMs).toBeLessThan(15);
  });

  it('makes no more than some sixteen transactions in a block of a second, however much comes', () => {
    for (const rate of [50, 200, 1_000, 5_000]) expect(blockOf(rate).batches).toBeLessThanOrEqual(17);
  });

  it('has room for a batch until the block comes, also when blocks are slow and much comes: what misses a block waits for one more', () => {
    for (const rate of [5, 100, 1_000, 3_000])
      for (const blockMs of [1_000, 2_000, 12_000]) {
        const { until, meanMs } = blockOf(rate, blockMs);
        expect(until).toBeGreaterThan(0.9 * blockMs);
        expect(meanMs).toBeLessThan(blockMs / 7);
      }
  });

  it('never waits long for a block, however long the linger is (I12)', () => {
    for (const long of [10, 100, 1_000]) {
      const pace = createBatchPace({ lingerMs: long, maxInFlight });
      pace.closed(0);
      const usual = 2 * long * (1 + (maxInFlight - 1) / 4);
      expect(pace.nextMs(maxInFlight - 1, 0)).toBeLessThanOrEqual(Math.max(4_000, usual));
    }
  });

  it('is as before when the block has come', () => {
    const pace = createBatchPace(settings);
    pace.closed(5_000);
    expect(pace.nextMs(maxInFlight, 5_000)).toBeGreaterThan(1_000);
    expect(pace.nextMs(0, 5_000)).toBe(2 * lingerMs);
  });
});
