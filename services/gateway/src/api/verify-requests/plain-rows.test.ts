import { describe, expect, it } from '@jest/globals';
import { takePlainRows } from './plain-rows.ts';

const take = (text: string) => takePlainRows(Buffer.from(text), 5);

describe('plain rows', () => {
  it('are lines of values, quoted or not, in LF or CRLF', () => {
    const lines = 'a,b,c\n"a, b",,"c"\r\n\né,😀,""\r\nx,y';
    expect(take(lines)).toEqual({
      rows: [
        { line: 5, values: ['a', 'b', 'c'] },
        { line: 6, values: ['a, b', '', 'c'] },
        { line: 7, values: [''] },
        { line: 8, values: ['é', '😀', ''] },
      ],
      bytes: Buffer.byteLength(lines) - 3,
      goesOn: true,
    });
  });

  it.each([
    ['a doubled quote', '"a ""b"""'],
    ['a quoted line break', '"a'],
    ['a quote within a value', 'a"b"'],
    ['text after a closing quote', '"a"b,'],
    ['a lone CR', 'a\rb'],
    ['two CR at its end', 'a\r\r'],
    ['a quoted CR', '"a\r"'],
  ])('end before a line with %s, to the byte', (_what, line) => {
    expect(take(`é,😀\n${line}\n1,2,3\n4,5,6\n`)).toEqual({
      rows: [{ line: 5, values: ['é', '😀'] }],
      bytes: Buffer.byteLength('é,😀\n'),
      goesOn: false,
    });
  });

  it.each([
    ['nothing', '', true],
    ['text', 'a b', true],
    ['a value that is cut', '"a b', true],
    ['a value that just ended', 'a,"b"', true],
    ['a doubled quote', '"a ""b', false],
    ['a quote within a value', 'a"b', false],
    ['text after a closing quote', '"a"b', false],
  ])('go on with a next line that begins with %s: %s, %s', (_what, beginning, goesOn) => {
    expect(take(`1,2,3\n4,5,6\n${beginning}`)).toMatchObject({ goesOn });
  });

  it('do not go on without a whole line, since its beginning would be read again with each chunk', () => {
    expect(take('a,b')).toEqual({ rows: [], bytes: 0, goesOn: false });
    expect(take('')).toEqual({ rows: [], bytes: 0, goesOn: false });
  });
});
