import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createSealer } from './sealer.ts';
import { parseSealingKeys } from './sealing-keys.ts';

const keyOf = (id: string) => ({ id, key: randomBytes(32) });
const [first, second] = [keyOf('2026-11'), keyOf('2027')];

describe('a sealer', () => {
  it('opens what it sealed, any text, and seals the same text differently each time', () => {
    const sealer = createSealer([first]);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (text, context) => {
        const sealed = sealer.seal(text, context);
        return sealer.open(sealed, context) === text && !sealed.equals(sealer.seal(text, context));
      }),
    );
  });

  it('has neither the text nor the key in the sealed value (I10)', () => {
    const sealed = createSealer([first]).seal('whsec_secret', 'webhooks/1');
    expect(sealed.includes('whsec_secret')).toBe(false);
    expect(sealed.includes(first.key)).toBe(false);
  });

  it('does not open a value of another context, one that was changed in any byte, or one that was cut', () => {
    const sealer = createSealer([first]);
    const sealed = sealer.seal('whsec_secret', 'webhooks/1');
    expect(() => sealer.open(sealed, 'webhooks/2')).toThrow('was changed, or is of another context');
    for (let i = 0; i < sealed.length; i += 1) {
      const changed = Buffer.from(sealed);
      changed[i] = (changed[i] as number) ^ 1;
      expect(() => sealer.open(changed, 'webhooks/1')).toThrow();
      expect(() => sealer.open(sealed.subarray(0, i), 'webhooks/1')).toThrow();
    }
  });

  it('seals by the first key and opens by all, so that keys can be changed over', () => {
    const before = createSealer([first]).seal('text', '');
    const both = createSealer([second, first]);
    expect(both.open(before, '')).toBe('text');
    expect(both.isCurrent(before)).toBe(false);
    const after = both.seal('text', '');
    expect(both.isCurrent(after)).toBe(true);
    const only = createSealer([second]);
    expect(only.open(after, '')).toBe('text');
    expect(() => only.open(before, '')).toThrow('sealed by the key "2026-11", which is not configured');
    expect(() => createSealer([])).toThrow(TypeError);
  });
});

describe('sealing keys', () => {
  const encoded = first.key.toString('base64');

  it('are read in their order', () => {
    expect(parseSealingKeys(`2026-11:${encoded}, 2027:${second.key.toString('base64')}`)).toEqual({
      keys: [first, second],
      faults: [],
    });
  });

  it('are refused with every fault, by number and without the text, which may be a key (I10)', () => {
    const short = randomBytes(31).toString('base64');
    const entries = ['', encoded, `a b:${encoded}`, `a:${short}`, `b:${encoded}`, `b:${encoded}`, `c:${encoded}:d`];
    expect(parseSealingKeys([...entries, `d:${encoded.slice(0, -1)}`].join(',')).faults).toEqual([
      'key 1 must be written id:base64',
      'key 2 must be written id:base64',
      'key 3 must have an id of 1 to 32 letters, digits, - and _',
      'key 4 must be base64 of 32 bytes',
      'key 6 has the id of another',
      'key 7 must be written id:base64',
      'key 8 must be base64 of 32 bytes',
    ]);
    expect(parseSealingKeys('').faults).toEqual(['key 1 must be written id:base64']);
  });
});
