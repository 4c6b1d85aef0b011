import { describe, expect, it } from '@jest/globals';
import { byteByByte, cid, cidDigits, inPieces, outcomeOf } from '../../../tests/request-samples.ts';
import { readCsvRequest } from './read-csv.ts';

const owner = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const time = '2023-11-14 22:13:20+00:00';
const row = `${time},${cid},a.txt`;
const line = `["${cidDigits}",1700000000,"${time}"]`;
const read = (body: string | Buffer, size?: number, maxObjects?: number) =>
  outcomeOf(readCsvRequest, body, { size, maxObjects });

describe('the CSV form of a collection verify request', () => {
  const expected = {
    lines: [line, line, line],
    requested: { name: { name: 'Reports, "é😀"', folded: 'reports, "é😀"' }, owner: owner.toLowerCase() },
  };
  const quoted = `"${time}",${cid},"a ""b"", c"`;

  it.each([
    ['LF', '\n', ''],
    ['CRLF', '\r\n', ''],
    ['LF and a byte order mark', '\n', '\ufeff'],
    ['CRLF and a byte order mark', '\r\n', '\ufeff'],
  ])('with %s is read the same however it is cut', async (_what, end, mark) => {
    const lines = [
      'collection_name,user_address,collection_timezone',
      `"Reports, ""é😀""",${owner},Europe/Berlin`,
      't,c,f',
      row,
      quoted,
      `${time},0x${cidDigits.toUpperCase()},`,
    ];
    for (const tail of ['', end]) {
      const body = Buffer.from(mark + lines.join(end) + tail);
      for (let at = tail === '' ? body.length - 4 : 0; at <= body.length; at++)
        expect(await outcomeOf(readCsvRequest, [body.subarray(0, at), body.subarray(at)])).toEqual(expected);
      expect(await outcomeOf(readCsvRequest, byteByByte(body))).toEqual(expected);
      for (const size of [2, 3, 7, 64]) expect(await outcomeOf(readCsvRequest, inPieces(body, size))).toEqual(expected);
    }
  });

  it.each([
    ['without a metadata section', `t,c,f\n${row}\n`],
    ['without file names', `t,c\n${time},${cid}\n`],
    [
      'with a metadata section of empty values',
      `collection_name,user_address,collection_timezone\n,,\nt,c,f\n${row}\n`,
    ],
    ['with a metadata section of two columns', `collection_name,user_address\n,\nt,c,f\n${row}\n`],
  ])('is read %s', async (_what, body) => {
    expect(await read(body)).toEqual({ lines: [line], requested: { name: null, owner: null } });
  });

  it('may list no objects of a named collection only', async () => {
    expect(await read('collection_name,user_address\nA,\nt,c,f\n')).toMatchObject({ lines: [] });
    expect(await read('t,c,f\n')).toEqual({ status: 400, message: expect.stringContaining('objects') });
    expect(await read(`collection_name,user_address\n,${owner}\nt,c\n`)).toMatchObject({ status: 400 });
  });

  it('is a 413 with more objects than the limit', async () => {
    expect(await read(`t,c,f\n${row}\n${row}\n`, 40, 2)).toMatchObject({ lines: [line, line] });
    expect(await read(`t,c,f\n${row}\n${row}\n${row}\n`, 40, 2)).toMatchObject({ status: 413 });
  });

  const section = (values: string, header = 'collection_name,user_address,collection_timezone'): string =>
    `${header}\n${values}\nt,c,f\n${row}\n`;
  it.each<[string, string | Buffer, string]>([
    ['nothing', '', 'without its header'],
    ['a byte order mark alone', '\ufeff', 'without its header'],
    ['another header', `timestamp,cid\n${row}`, 'line 1'],
    ['a header in upper case', `T,C,F\n${row}`, 'line 1'],
    ['no header', row, 'line 1'],
    ['a metadata section alone', 'collection_name,user_address\nA,\n', 'without its header'],
    ['a metadata section without its values', 'collection_name,user_address\nt,c,f\n', 'line 2'],
    ['another header after the metadata section', 'collection_name,user_address\nA,\nx\n', 'line 3'],
    ['two metadata sections', 'collection_name,user_address\nA,\ncollection_name,user_address\nA,\n', 'line 3'],
    ['a bad name', section('a/b,,'), 'collection_name'],
    ['a bad name, by its line', section('a/b,,'), 'line 2'],
    ['a bad address', section('A,0x12,'), 'user_address'],
    ['a time zone that is none', section('A,,Mars/Olympus'), 'collection_timezone'],
    ['an offset for a time zone', section('A,,+01:00'), 'collection_timezone'],
    ['a column too few', `t,c,f\n${row}\n${time},${cid}\n`, 'line 3'],
    ['a column too many', `t,c\n${row}\n`, 'line 2'],
    ['a column too many, in words', `t,c\n${row}\n`, '3 columns, not 2'],
    ['an empty line', `t,c,f\n${row}\n\n${row}\n`, 'line 3'],
    ['an empty line at its end', `t,c,f\n${row}\n\n`, 'line 3'],
    ['a malformed CID', `t,c,f\n${row}\n${time},0x12,\n`, 'line 3, cid'],
    ['the zero CID', `t,c,f\n${time},0x${'0'.repeat(64)},\n`, 'line 2, cid'],
    ['a timestamp without an offset', `t,c,f\n2023-11-14 22:13:20,${cid},\n`, 'line 2, timestamp'],
    ['a timestamp in epochs', `t,c,f\n1700000000,${cid},\n`, 'line 2, timestamp'],
    ['a file name of two lines', `t,c,f\r\n${time},${cid},"a\r\nb"\r\n${row}\r\n`, 'line 2, f'],
    ['a quote that is not closed', `t,c,f\n${row}\n${time},${cid},"a\n${row}\n`, 'line 3: a quoted value'],
    ['a quote within a value', `t,c,f\n${time},${cid},a"b"\n`, 'line 2: a quote'],
    ['text after a closing quote', `t,c,f\n${row}\n"${time}"x,${cid},\n`, 'line 3: a quoted value'],
    ['a lone CR', `t,c,f\n${row}\n${time},${cid},a\rb\n`, 'line 3: a carriage return'],
    ['a lone CR within quotes', `t,c,f\n${time},${cid},"a\rb"\n`, 'line 2: a carriage return'],
    ['lines that end in CR', `t,c,f\r${row}\r`, 'line 1'],
    ['CR at its very end', `t,c,f\n${row}\r`, 'line 2: a carriage return'],
    ['invalid UTF-8', Buffer.concat([Buffer.from(`t,c,f\n${time},${cid},`), Buffer.from([0xff])]), 'UTF-8'],
    ['UTF-16 with its mark', Buffer.from(`\ufefft,c,f\n${row}\n`, 'utf16le'), 'UTF-8'],
    ['UTF-16 without a mark', Buffer.from(`t,c,f\n${row}\n`, 'utf16le'), 'zero byte'],
    ['a zero byte after a quote', `t,c,f\n${time},${cid},"a"\0\n`, 'zero byte'],
    ['a million columns', `t,c,f\n${','.repeat(1_000_000)}\n`, 'line 2: longer than'],
    ['a line without end', `t,c,f\n${row}\n${'a'.repeat(5_000_000)}`, 'line 3: longer than'],
    ['a value of many lines', `t,c,f\n${row}\n${time},${cid},"${'a\n'.repeat(500_000)}`, 'line 3: the row is longer'],
  ])('with %s is a 400 that names it', async (_what, body, name) => {
    for (const size of [1_000, 65_536])
      expect(await read(body, size)).toEqual({ status: 400, message: expect.stringContaining(name) });
  });
});
