import { describe, expect, it } from '@jest/globals';
import { type Part, partsNotAllowed } from './licences.ts';

const part = (...licenses: NonNullable<Part['licenses']>): Part => ({ name: 'part', version: '1.0.0', licenses });
const id = (name: string) => ({ license: { id: name } });

describe('the licence of a part', () => {
  it.each([
    ['MIT', part(id('MIT'))],
    ['one of two', part({ expression: '(GPL-3.0-only OR MIT)' })],
    ['both of two', part(id('MIT'), id('ISC'))],
    ['read in its file', { name: 'busboy', version: '1.6.0' }],
    ['of the workspace', { name: 'kafka', group: '@indelible' }],
  ])('is allowed: %s', (_what, allowed) => {
    expect(partsNotAllowed([allowed])).toEqual([]);
  });

  it.each([
    ['one that asks for publication', part(id('AGPL-3.0-only')), 'part@1.0.0: AGPL-3.0-only'],
    ['a second one that is not allowed', part(id('MIT'), id('GPL-3.0-only')), 'part@1.0.0: MIT AND GPL-3.0-only'],
    ['an expression of both', part({ expression: 'MIT AND SSPL-1.0' }), 'part@1.0.0: MIT AND SSPL-1.0'],
    ['a name that nobody knows', part({ license: { name: 'SEE LICENSE IN FILE' } }), 'part@1.0.0: SEE LICENSE IN FILE'],
    ['none', part(), 'part@1.0.0: no licence given'],
  ])('is not allowed: %s', (_what, refused, said) => {
    expect(partsNotAllowed([refused])).toEqual([said]);
  });
});
