import { describe, expect, it } from '@jest/globals';
import { createEventPages } from './event-pages.ts';

describe('what describes events', () => {
  it('names the address that it is given, everywhere', () => {
    const find = createEventPages('http://127.0.0.1:9999', Buffer.from(''));
    for (const path of ['/schemas/', '/asyncapi.json', '/events/']) {
      const text = String(find(path)?.body);
      expect(text).toContain('127.0.0.1:9999');
      expect(text).not.toContain('127.0.0.1:8080');
    }
    expect(find('/eventful')).toBeUndefined();
    expect(() => find('/events/nothing')).toThrow('not found');
  });
});
