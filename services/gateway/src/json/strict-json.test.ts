import { describe, expect, it } from '@jest/globals';
import { parseStrictJson } from './strict-json.ts';

const parse = (text: string): unknown => parseStrictJson(Buffer.from(text));

describe('a JSON body', () => {
  it.each([
    '{"a":{"a":1},"b":[{"a":1},{"a":2}],"c":"a","d":"{\\"a\\":1,\\"a\\":2}"}',
    '[]',
    '"a"',
    '{"\\u0061":"\\ud83d\\ude00"}',
    '{"a":["b","b"]}',
  ])('%s is read as JSON.parse reads it', (text) => {
    expect(parse(text)).toEqual(JSON.parse(text));
  });
  it.each([
    ['{"a":1,"a":1}', 'a: given twice'],
    ['{"a":1,"\\u0061":1}', 'a: given twice'],
    ['{"x":{"b":1,"c":[1],"b":2}}', 'b: given twice'],
    ['[{"k":1},{"k":1,"k":1}]', 'k: given twice'],
  ])('%s with a key twice is refused by its name', (text, message) => {
    expect(() => parse(text)).toThrow(message);
  });
  it.each(['', '{', '{"a":1}x', '\ufeff{}', "{'a':1}", 'NaN'])('%j is refused', (text) => {
    expect(() => parse(text)).toThrow('not valid JSON');
  });
  it('of invalid UTF-8 is refused', () => {
    expect(() => parseStrictJson(Buffer.from('{"a":"\xff"}', 'latin1'))).toThrow('UTF-8');
  });
  it.each(['"\\ud800"', '{"a":"\\udc00\\ud800"}', '{"\\ud800":1}'])('%s with a lone surrogate is refused', (text) => {
    expect(() => parse(text)).toThrow('lone surrogate');
  });
});
