import { describe, expect, it } from '@jest/globals';
import { createEventPages } from './event-pages.ts';

describe('what describes events', () => {
  it('names a local start where no public address is configured', () => {
    const find = createEventPages(undefined, Buffer.from(''));
    expect(String(find('/schemas/')?.body)).toContain('"http://127.0.0.1:8080/schemas/stamp.confirmed.v1.json"');
    expect(find('/eventful')).toBeUndefined();
    expect(() => find('/events/nothing')).toThrow('not found');
  });
});
