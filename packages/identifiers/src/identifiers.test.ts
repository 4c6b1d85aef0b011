import { describe, expect, it } from '@jest/globals';
import { getAddress } from 'ethers';
import fc from 'fast-check';
import sha3 from 'js-sha3';
import { checksumAddress, parseAddress } from './address.ts';
import { cidOfCollectionName, foldName, parseCollectionName } from './collection-name.ts';
import { cidOfContent } from './content-hash.ts';
import { hexOfBytes, parseCid } from './hex.ts';
import { receiptTime } from './time.ts';

describe('CIDs', () => {
  it('are SHA3-256 as js-sha3 computes it', () => {
    for (const text of ['', 'a', 'Grüße\n', 'x'.repeat(1000)])
      expect(cidOfContent(text)).toBe(`0x${sha3.sha3_256(text)}`);
  });
  it('are read in any case and answered lower-case; anything else is refused', () => {
    expect(parseCid(`0x${'AB'.repeat(32)}`)).toBe(`0x${'ab'.repeat(32)}`);
    for (const wrong of [
      '',
      '0x',
      'ab'.repeat(32),
      `0X${'ab'.repeat(32)}`,
      `0x${'ab'.repeat(31)}`,
      `0x${'ab'.repeat(33)}`,
      `0x${'ag'.repeat(32)}`,
    ])
      expect(parseCid(wrong)).toBeUndefined();
  });
});

describe('addresses', () => {
  it('are checksummed as ethers does it', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), (bytes) => {
        const lower = hexOfBytes(bytes);
        const checksummed = getAddress(lower);
        expect(checksumAddress(lower)).toBe(checksummed);
        expect(checksumAddress(`0x${lower.slice(2).toUpperCase()}`)).toBe(checksummed);
        expect(parseAddress(checksummed)).toBe(lower);
      }),
    );
  });
  it('are refused with a wrong checksum in mixed case, or another shape', () => {
    const right = checksumAddress('0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359');
    const wrong = right.replace(/[A-F]/, (letter) => letter.toLowerCase());
    expect(parseAddress(wrong)).toBeUndefined();
    expect(parseAddress('0xFB6916095CA1DF60BB79CE92CE3EA74C37C5D359')).toBe(right.toLowerCase());
    for (const text of ['', '0x', right.slice(2), `${right}0`, 'me']) expect(parseAddress(text)).toBeUndefined();
  });
});

describe('collection names', () => {
  it('are trimmed, put in NFC and keep their letter case', () => {
    expect(parseCollectionName('  Cafe\u0301 ')).toEqual({ name: 'Café', folded: 'café' });
  });
  it('are the same when they are equal ignoring case', () => {
    expect(foldName('STRASSE')).toBe(foldName('straße'));
    expect(foldName('ΣΊΣΥΦΟΣ')).toBe(foldName('σίσυφος'));
  });
  it('differ by a dotless i: Unicode folds it to no other letter', () => {
    expect(foldName('sınır')).not.toBe(foldName('sinir'));
    expect(foldName('SINIR')).toBe(foldName('sinir'));
    expect(foldName('Σı')).toBe(foldName('σı'));
  });
  it('are refused when they cannot be a folder', () => {
    for (const wrong of ['', '  ', '.', '..', 'a/b', 'a\\b', 'a\u0000b', 'a\nb', 'x'.repeat(256), '\ud800'])
      expect(parseCollectionName(wrong)).toHaveProperty('fault');
  });
  it('give the CID of their UTF-8 bytes', () => {
    expect(cidOfCollectionName('Café')).toBe(`0x${sha3.sha3_256('Café')}`);
  });
});

describe('receipt times', () => {
  it('are UTC to the second with an offset', () => {
    expect(receiptTime(1_700_000_000)).toBe('2023-11-14T22:13:20+00:00');
  });
});
