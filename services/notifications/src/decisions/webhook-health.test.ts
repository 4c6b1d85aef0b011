import { describe, expect, it } from '@jest/globals';
import { healthAfter, pauseMsAfter, type Tally } from './webhook-health.ts';

const start = new Date('2026-11-21T04:10:07Z');
const days = (count: number) => new Date(start.getTime() + count * 86_400_000);
const tally = (over: Partial<Tally>): Tally => ({ delivered: 0, refused: 0, gone: 0, ...over });

describe('a webhook', () => {
  it('is disabled after five days in which something failed and nothing succeeded', () => {
    expect(healthAfter(null, tally({ refused: 1 }), start)).toEqual({ failingSince: start, disable: null });
    expect(healthAfter(start, tally({ refused: 1 }), days(4.99)).disable).toBeNull();
    expect(healthAfter(start, tally({ refused: 1 }), days(5))).toEqual({ failingSince: start, disable: 'failing' });
  });

  it('is healthy again with one success, however much else failed', () => {
    expect(healthAfter(start, tally({ delivered: 1, refused: 9 }), days(6))).toEqual({
      failingSince: null,
      disable: null,
    });
  });

  it('is not disabled while nothing was sent', () => {
    expect(healthAfter(start, tally({}), days(9))).toEqual({ failingSince: start, disable: null });
  });

  it('is disabled at once when the receiver is gone', () => {
    expect(healthAfter(null, tally({ gone: 1, delivered: 1 }), start).disable).toBe('gone');
  });

  it('pauses longer with each failure in a row, a minute at most', () => {
    expect([1, 2, 3, 4, 9, 10, 1_000].map(pauseMsAfter)).toEqual([0, 0, 1_000, 2_000, 60_000, 60_000, 60_000]);
  });
});
