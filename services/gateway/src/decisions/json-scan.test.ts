import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createJsonScan } from './json-scan.ts';

function scan(text: string, step: number): boolean {
  const look = createJsonScan(Buffer.from(text));
  for (;;) {
    const found = look(step);
    if (found !== undefined) return found;
  }
}
function isContainer(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

describe('the scan for a JSON object or array', () => {
  it('takes what JSON.parse takes, however it is cut', () => {
    const space = fc.constantFrom('', '', ' ', '\n\t\r ');
    const json = fc.tuple(space, fc.json(), space).map((parts) => parts.join(''));
    fc.assert(
      fc.property(json, fc.integer({ min: 1, max: 9 }), (text, step) => {
        expect(scan(text, step)).toBe(isContainer(text));
      }),
      { numRuns: 500 },
    );
  });

  it('refuses what JSON.parse refuses', () => {
    const pieces = fc.constantFrom(
      ...'{}[],:"\\ \n',
      '"a"',
      '"\\u00e9"',
      '"\\ud800"',
      '1',
      '-0',
      '01',
      '1.',
      '1e5',
      '.5',
      'true',
      'nul',
      '\u0001',
      'é',
      '\u00a0',
      '\ufeff',
      '"a":',
    );
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 12 }),
        fc.boolean(),
        fc.integer({ min: 1, max: 4 }),
        (parts, whole, step) => {
          const text = whole ? `[${parts.join('')}]` : parts.join('');
          expect([text, scan(text, step)]).toEqual([text, isContainer(text)]);
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it.each(['[', '{', '[{"a":'])('goes as deep as a text does: %s', (beginning) => {
    expect(scan(beginning.repeat(200_000), 65_536)).toBe(false);
    expect(scan(`${'['.repeat(200_000)}${']'.repeat(200_000)}`, 65_536)).toBe(true);
  });
});
