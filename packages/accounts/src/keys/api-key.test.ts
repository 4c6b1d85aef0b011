import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createApiKey, hasApiKeyShape, hashApiKey, hintOfApiKey } from './api-key.ts';
import { base62, encodeBase62, randomBase62 } from './base62.ts';

describe('an API key', () => {
  it('has a readable prefix, 178 random bits and a checksum', () => {
    const key = createApiKey();
    expect(key).toMatch(/^ind_[0-9A-Za-z]{36}$/);
    expect(hasApiKeyShape(key)).toBe(true);
    expect(createApiKey()).not.toBe(key);
  });

  it('keeps its format: keys given out once stay valid', () => {
    expect(hasApiKeyShape('ind_0123456789ABCDEFGHIJKLMNOPQRST1YAYQC')).toBe(true);
  });

  it('is refused with any one character mistyped, without a look-up', () => {
    const mistyped = fc.tuple(
      fc.constant(null).map(createApiKey),
      fc.nat(39),
      fc.constantFrom(...base62, '_', '-', ' '),
    );
    fc.assert(
      fc.property(mistyped, ([key, place, character]) => {
        fc.pre(key[place] !== character);
        return !hasApiKeyShape(key.slice(0, place) + character + key.slice(place + 1));
      }),
    );
  });

  it('is refused with two neighbours swapped', () => {
    fc.assert(
      fc.property(fc.constant(null).map(createApiKey), fc.integer({ min: 4, max: 38 }), (key, place) => {
        fc.pre(key[place] !== key[place + 1]);
        return !hasApiKeyShape(`${key.slice(0, place)}${key[place + 1]}${key[place]}${key.slice(place + 2)}`);
      }),
    );
  });

  it('is refused when cut, lengthened or padded with white space', () => {
    const key = createApiKey();
    for (const text of ['', key.slice(0, -1), `${key}0`, ` ${key}`, `${key}\n`, key.slice(4)])
      expect(hasApiKeyShape(text)).toBe(false);
  });

  it('is kept as its SHA-256, and shown again only by its beginning (I10)', () => {
    const key = createApiKey();
    expect(hashApiKey('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(hintOfApiKey(key)).toBe(`${key.slice(0, 8)}…`);
  });
});

describe('base62', () => {
  it('writes integers with digits, upper case, lower case, padded', () => {
    expect([0, 61, 62, 2 ** 32 - 1].map((value) => encodeBase62(value, 6))).toEqual([
      '000000',
      '00000z',
      '000010',
      '4gfFC3',
    ]);
  });

  it('draws every digit', () => {
    expect(new Set(randomBase62(10_000)).size).toBe(62);
  });
});
