import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { faultOfText } from './text.ts';

describe('a text of a caller', () => {
  it('is refused exactly when it holds a control character or a lone surrogate', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(0xffff), fc.nat(), (text, unit, at) => {
        const index = at % (text.length + 1);
        const changed = text.slice(0, index) + String.fromCharCode(unit) + text.slice(index);
        const isBad = /\p{Cc}/u.test(changed) || /\p{Cs}/u.test(changed);
        expect(faultOfText(changed) !== undefined).toBe(isBad);
      }),
    );
  });
  it.each(['', 'é', '😀', '\u00a0', '\u200e\u202e', '\ufffe\uffff', 'a\u0301'])('%j is fine', (text) => {
    expect(faultOfText(text)).toBeUndefined();
  });
});
