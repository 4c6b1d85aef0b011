import { describe, expect, it } from '@jest/globals';
import { mayBeUndecided } from './undecided.ts';

const now = Date.UTC(2026, 0, 2);
const idMadeAt = (time: number): string => {
  const hex = time.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
};
const ofKey = '00000000-0000-8000-8000-000000000000';
const day = 86_400_000;

describe('an id that stamping does not know', () => {
  it.each<[string, boolean, string, number | undefined]>([
    ['may be undecided when it was made a moment ago', true, idMadeAt(now), now - 2_000],
    ['may be undecided while stamping is behind it', true, idMadeAt(now - day), now - 2 * day],
    ['may be undecided while it is not known how far stamping is', true, idMadeAt(now - day), undefined],
    ['was never accepted when all commands of its time are decided', false, idMadeAt(now - 3_600_000), now - 2_000],
    ['was never accepted when commands of its time are kept no longer', false, idMadeAt(now - 15 * day), undefined],
    ['was never accepted when it is of the future', false, idMadeAt(now + day), undefined],
    ['may be undecided when it is of a key, and stamping is behind', true, ofKey, now - 60_000],
    ['was never accepted when it is of a key, and stamping is not behind', false, ofKey, now - 2_000],
    ['was never accepted when it is of another kind', false, '00000000-0000-4000-8000-000000000000', undefined],
  ])('%s', (_what, expected, id, handledUntil) => {
    expect(mayBeUndecided(id, { now, handledUntil, waitLimitMs: 25_000 })).toBe(expected);
  });
});
