import { describe, expect, it } from '@jest/globals';
import { isSaveDue } from './save-policy.ts';

const quiet = { follows: true, journalBytes: 1_000, wholeBytes: 20_000_000, sinceSavedMs: 3_600_000, idle: false };

describe('a chain', () => {
  it('that is large is not written whole while it is used: that would stop its blocks (I11)', () => {
    expect(isSaveDue(quiet)).toBe(false);
    expect(isSaveDue({ ...quiet, journalBytes: 500_000_000 })).toBe(false);
  });

  it('that is small is written every ten seconds, if it has new blocks', () => {
    expect(isSaveDue({ ...quiet, wholeBytes: 0 })).toBe(true);
    expect(isSaveDue({ ...quiet, wholeBytes: 0, sinceSavedMs: 9_000 })).toBe(false);
    expect(isSaveDue({ ...quiet, wholeBytes: 0, journalBytes: 0 })).toBe(false);
  });

  it('is written when it rests and its journal is long, and when the journal lacks a block or has no more room', () => {
    expect(isSaveDue({ ...quiet, idle: true })).toBe(false);
    expect(isSaveDue({ ...quiet, idle: true, journalBytes: 50_000_000 })).toBe(true);
    expect(isSaveDue({ ...quiet, follows: false })).toBe(true);
    expect(isSaveDue({ ...quiet, journalBytes: 2_000_000_000 })).toBe(true);
  });
});
