import { describe, expect, it } from '@jest/globals';
import { newId } from './new-id.ts';

describe('a new id', () => {
  it('is a UUID of version 7, and none comes twice', () => {
    const ids = Array.from({ length: 10_000 }, newId);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('begins with its millisecond, so that an index grows at its end', () => {
    const before = Date.now();
    const ids = Array.from({ length: 10_000 }, newId);
    const after = Date.now();
    const times = ids.map((id) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times[0]).toBeGreaterThanOrEqual(before);
    expect(times.at(-1)).toBeLessThanOrEqual(after);
  });
});
