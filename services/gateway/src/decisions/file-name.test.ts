import { setImmediate as turn } from 'node:timers/promises';
import { cidOfContent } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import { faultOfFileName, nameOfData } from './file-name.ts';

const cid = cidOfContent('x');

describe('the name of inline data', () => {
  it.each([
    ['{"a": 1}', 'json'],
    [' [1]', 'json'],
    ['"text"', 'txt'],
    ['1', 'txt'],
    ['null', 'txt'],
    ['{"a": ', 'txt'],
    ['\ufeff{}', 'txt'],
    ['text', 'txt'],
  ])('of %j ends in %s', async (text, extension) => {
    expect(await nameOfData(cid, Buffer.from(text))).toBe(`${cid}.${extension}`);
  });
  it.each([' "a', ' 11', 'tt'])('that begins with %j is known without a scan of the rest', async (beginning) => {
    const data = Buffer.alloc(2 ** 20, beginning.at(-1));
    data.write(beginning);
    expect(await Promise.race([nameOfData(cid, data), turn('scanning')])).toBe(`${cid}.txt`);
  });
  it.each(['[1', '["a', `${' '.repeat(2 ** 18)}[`])('of a long value that begins with %#', async (beginning) => {
    const middle = (beginning.at(-1) === 'a' ? 'a' : '1').repeat(2 ** 20);
    const data = Buffer.from(`${beginning}${middle}${beginning.at(-1) === 'a' ? '"' : ''}]`);
    expect(await nameOfData(cid, data)).toBe(`${cid}.json`);
  });
});

describe('a file name', () => {
  it.each(['a.txt', '.env', 'a b.txt', 'é'.repeat(127), '...', 'a"b', '%2F'])('%s is kept', (name) => {
    expect(faultOfFileName(name)).toBeUndefined();
  });
  it.each(['', '.', '..', 'a/b', 'a\\b', 'a\u0000', 'a\u0085', 'a\n', '\ud800', 'é'.repeat(128)])(
    '%j is refused',
    (name) => {
      expect(faultOfFileName(name)).toEqual(expect.any(String));
    },
  );
});
