import { describe, expect, it } from '@jest/globals';
import { readableLine } from './screen.ts';

describe('a line of a service', () => {
  it('is shown as level, message and fields', () => {
    const line = JSON.stringify({
      level: 'warn',
      time: 't',
      service: 's',
      message: 'late',
      requestId: 'r',
      error: { message: 'no' },
    });
    expect(readableLine(line)).toBe('warn  late requestId=r error="no"');
  });
  it('is shown as it is when it is no JSON', () => {
    for (const line of ['plain', '{broken']) expect(readableLine(line)).toBe(line);
  });
});
