import { describe, expect, it } from '@jest/globals';
import { crc32cOf, startCrc32c } from './crc32c.ts';

/** RFC 3720, appendix B.4, and the check value of the Castagnoli polynomial. */
const vectors: [string, Buffer, number][] = [
  ['nothing', Buffer.alloc(0), 0],
  ['123456789', Buffer.from('123456789'), 0xe3069283],
  ['32 zero bytes', Buffer.alloc(32), 0x8a9136aa],
  ['32 bytes of ones', Buffer.alloc(32, 0xff), 0x62a8ab43],
  ['32 rising bytes', Buffer.from(Array.from({ length: 32 }, (_value, i) => i)), 0x46dd794e],
  ['32 falling bytes', Buffer.from(Array.from({ length: 32 }, (_value, i) => 31 - i)), 0x113fdb5c],
];

describe('CRC32C', () => {
  it.each(vectors)('of %s is the published value', (_name, content, value) => {
    expect(crc32cOf(content)).toBe(value);
  });

  it('is the same in pieces as of the whole', () => {
    const content = Buffer.from(Array.from({ length: 1_000 }, (_value, i) => (i * 7) % 256));
    const running = startCrc32c();
    for (const [start, end] of [
      [0, 1],
      [1, 1],
      [1, 700],
      [700, 1_000],
    ])
      running.update(content.subarray(start, end));
    expect({ size: running.size, value: running.value }).toEqual({ size: 1_000, value: crc32cOf(content) });
  });
});
