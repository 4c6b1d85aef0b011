import { describe, expect, it } from '@jest/globals';
import { afterAttempt, nextAttemptAt, outcomeOf, retryDelaysMs } from './webhook-retries.ts';

const now = Date.parse('2026-11-21T04:10:07Z');
const after = (tries: number, random = 0, retryAfterMs = 0) => {
  const at = nextAttemptAt(tries, { retryAfterMs }, now, random);
  return at === undefined ? undefined : (at.getTime() - now) / 1_000;
};

describe('an answer of a receiver', () => {
  it.each([
    [200, 'delivered'],
    [204, 'delivered'],
    [299, 'delivered'],
    [410, 'gone'],
    [302, 'refused'],
    [400, 'refused'],
    [500, 'refused'],
    [null, 'refused'],
  ])('with status %s is %s', (status, kind) => {
    expect(outcomeOf(status, undefined, now).kind).toBe(kind);
  });

  it.each([
    [503, '120', 120_000],
    [429, new Date(now + 90_000).toUTCString(), 90_000],
    [429, '999999', 3_600_000],
    [429, new Date(now - 90_000).toUTCString(), 0],
    [429, 'soon', 0],
    [500, '120', 0],
  ])('%s with Retry-After %s postpones the next attempt by %s ms', (status, retryAfter, ms) => {
    expect(outcomeOf(status, retryAfter, now)).toEqual({ kind: 'refused', retryAfterMs: ms });
  });
});

describe('a delivery that was refused', () => {
  it('is tried again after 5 s, 5 m, 30 m, 2 h, 5 h, 10 h and 10 h, and has then failed', () => {
    const seconds = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000];
    expect(retryDelaysMs.map((_, at) => after(at + 1))).toEqual(seconds);
    expect(after(8)).toBeUndefined();
  });

  it('waits up to a fifth longer, so that those that failed together do not come back together', () => {
    expect([after(1, 0.5), after(1, 1)]).toEqual([5.5, 6]);
  });

  it('waits as long as the receiver wants, never less than planned', () => {
    expect([after(1, 0, 60_000), after(2, 0, 60_000)]).toEqual([60, 300]);
  });
});

describe('after an attempt', () => {
  const attempted = (status: number, retryAfter?: string) => ({
    attempt: { at: '', status, body: '', error: null, durationMs: 1 },
    retryAfter,
  });
  it.each([
    ['is delivered', attempted(204), 8, { status: 'delivered', nextAttemptAt: null, restMs: 0 }],
    ['has failed when the receiver is gone', attempted(410), 1, { status: 'failed', nextAttemptAt: null, restMs: 0 }],
    ['waits', attempted(503, '7'), 1, { status: 'waiting', nextAttemptAt: new Date(now + 7_000), restMs: 7_000 }],
    ['has failed after the last attempt', attempted(500), 8, { status: 'failed', nextAttemptAt: null, restMs: 0 }],
  ])('a delivery %s', (_, one, tries, expected) => {
    expect(afterAttempt(one, tries, now, 0)).toEqual(expected);
  });
});
