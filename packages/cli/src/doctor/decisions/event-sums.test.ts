import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createEventSums } from './event-sums.ts';

const ids = Array.from({ length: 10_000 }, () => randomUUID());

describe('the sums of events', () => {
  it('are whole when each event that is expected is found, in whatever order', () => {
    const sums = createEventSums();
    for (const id of ids) for (const version of [1, 2, 3]) sums.expect(id, version);
    for (const id of ids.toReversed()) for (const version of [3, 1, 2]) sums.found(id, version);
    expect(sums.isWhole()).toBe(true);
  });

  it('differ for a stamp with an event that is missing, is found twice, or is of another version; and for few others', () => {
    const sums = createEventSums();
    const [missing = '', twice = '', other = ''] = ids;
    for (const id of ids) {
      sums.expect(id, 1);
      sums.expect(id, 2);
      sums.found(id, 1);
      if (id === twice) sums.found(id, 2);
      if (id !== missing) sums.found(id, id === other ? 3 : 2);
    }
    expect(sums.isWhole()).toBe(false);
    const found = ids.filter(sums.differs);
    expect(found).toEqual(expect.arrayContaining([missing, twice, other]));
    expect(found.length).toBeLessThan(10);
  });
});
