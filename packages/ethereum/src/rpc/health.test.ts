import { describe, expect, it } from '@jest/globals';
import { RpcUnavailableError } from './errors.ts';
import { createHealth } from './health.ts';

const fault = new RpcUnavailableError('m');

describe('the health of an endpoint', () => {
  it('lets it rest after a fault, twice as long each time, at most half a minute; an answer ends that', () => {
    let time = 0;
    const health = createHealth(() => time);
    const rests = Array.from({ length: 8 }, () => {
      health.noteFault(fault);
      const began = time;
      while (health.resting()) time += 500;
      return time - began;
    });
    expect(rests).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    health.noteFault(fault);
    health.noteAnswer();
    expect([health.resting(), health.faults()]).toEqual([false, 0]);
  });
  it.each([
    [undefined, 1_000],
    [5_000, 5_000],
    [3_600_000, 60_000],
    [0, 0],
  ])('leaves it alone as long as it asks for (%s ms: %s ms), at most a minute', (retryAfterMs, expected) => {
    const health = createHealth(() => 0);
    health.noteFault(
      new RpcUnavailableError('m', { fault: 'rate-limited', ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }),
    );
    expect(health.limitedForMs()).toBe(expected);
    expect(health.limited()).toBe(expected > 0);
  });
  it('takes the third loss in a row for a fault', () => {
    const health = createHealth(() => 0);
    expect([1, 2, 3, 4].map(() => health.noteLoss())).toEqual([false, false, true, false]);
    health.noteAnswer();
    expect([1, 2, 3].map(() => health.noteLoss())).toEqual([false, false, true]);
  });
  it('knows what most answers stay below', () => {
    const { single } = createHealth(() => 0).latency;
    expect(single.usualMost()).toBeUndefined();
    for (let i = 0; i < 200; i++) single.add(100 + (i % 2) * 20);
    expect(single.mean()).toBeCloseTo(110, -1);
    expect(single.usualMost()).toBeGreaterThan(120);
    expect(single.usualMost()).toBeLessThan(160);
  });
});
