import { describe, expect, it } from '@jest/globals';
import { checkClaims, checksumsOf, claimedBy, crc32cOf } from './checksums.ts';

describe('the checksums of the emulator', () => {
  it.each([
    ['no byte', Buffer.alloc(0), 0],
    ['32 bytes of zero', Buffer.alloc(32), 0x8a9136aa],
    ['32 bytes of ones', Buffer.alloc(32, 0xff), 0x62a8ab43],
    ['32 bytes that count up', Buffer.from(Array.from({ length: 32 }, (_value, i) => i)), 0x46dd794e],
    ['the digits 1 to 9', Buffer.from('123456789'), 0xe3069283],
  ])('compute CRC32C as RFC 3720 does: %s', (_name, content, expected) => {
    expect(crc32cOf(content)).toBe(expected);
  });

  it('are written in base64, the highest byte of the CRC32C first', () => {
    expect(checksumsOf(Buffer.from('123456789'))).toEqual({ crc32c: '4waSgw==', md5Hash: 'JfnnlDI7RTiF9RgfG2JNCw==' });
  });

  it('are held against what the client claims, in the header too', () => {
    const computed = checksumsOf(Buffer.from('123456789'));
    checkClaims(computed, {}, claimedBy('crc32c=4waSgw==,md5=JfnnlDI7RTiF9RgfG2JNCw=='), claimedBy(undefined));
    expect(() => checkClaims(computed, {}, claimedBy('md5=JfnnlDI7RTiF9RgfG2JNCw==, crc32c=AAAAAA=='))).toThrow(
      expect.objectContaining({ status: 400, message: expect.stringContaining('CRC32C "AAAAAA=="') }),
    );
    expect(() => checkClaims(computed, { md5Hash: 'AAAA' })).toThrow(expect.objectContaining({ status: 400 }));
  });
});
