import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createJsonScan, type JsonVisitor, type Scalar } from './json-scan.ts';

function scan(text: string, step: number): boolean {
  const bytes = Buffer.from(text);
  const scan = createJsonScan();
  for (let at = 0; at < bytes.length; at += step) if (!scan.write(bytes.subarray(at, at + step))) return false;
  return scan.end() === 'container';
}
function isContainer(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

/** What a visitor can put together of what it meets. */
function created(text: string, step: number): unknown {
  const root: unknown[] = [];
  const open: { readonly value: object; key: string | undefined }[] = [{ value: root, key: undefined }];
  const add = (value: Scalar | object): void => {
    const { value: container, key } = open.at(-1)!;
    if (Array.isArray(container)) container.push(value);
    else Object.defineProperty(container, key!, { value, enumerable: true, configurable: true, writable: true });
  };
  const visitor: JsonVisitor = {
    open(container) {
      const value = container === 'object' ? {} : [];
      add(value);
      open.push({ value, key: undefined });
    },
    close: () => void open.pop(),
    key(name) {
      open.at(-1)!.key = name;
    },
    scalar: add,
  };
  const bytes = Buffer.from(text);
  const scan = createJsonScan(visitor);
  // One buffer for all pieces: the scan must copy what it holds.
  const buffer = Buffer.alloc(step);
  for (let at = 0; at < bytes.length; at += step) scan.write(buffer.subarray(0, bytes.copy(buffer, 0, at, at + step)));
  expect(scan.end()).toBeDefined();
  return root[0];
}

describe('the scan of a JSON text', () => {
  it('shows a visitor what JSON.parse makes of it, however it is cut', () => {
    const spellings = fc.constantFrom<(json: string) => string>(
      (json) => json,
      (json) => json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
    );
    fc.assert(
      fc.property(fc.json(), spellings, fc.integer({ min: 1, max: 9 }), (json, spell, step) => {
        const text = spell(json);
        expect(JSON.stringify(created(text, step))).toBe(JSON.stringify(JSON.parse(text)));
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    '-0',
    '1e5',
    '123456789',
    '-1234567890123456789',
    '1.5E-3',
    '00',
    '-',
    '1.',
    '.5',
    '1e',
    '1e+',
    'nul',
    'truee',
    '+1',
    'NaN',
  ])('takes the word %s as JSON.parse does', (word) => {
    for (const text of [
      word,
      `[${word}]`,
      `[1,${word},${word} ,[2, ${word}],{},${word}]`,
      `[${word},]`,
      `{"a":${word} ,"b":${word}}`,
    ])
      for (const step of [1, 2, 3, 64]) {
        expect([text, scan(text, step)]).toEqual([text, isContainer(text)]);
        if (isContainer(text)) expect(created(text, step)).toEqual(JSON.parse(text));
      }
  });

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

  it.each(['[', '{', '[{"a":'])('reads containers of any depth: %s', (beginning) => {
    expect(scan(beginning.repeat(200_000), 65_536)).toBe(false);
    expect(scan(`${'['.repeat(200_000)}${']'.repeat(200_000)}`, 65_536)).toBe(true);
  });
});
