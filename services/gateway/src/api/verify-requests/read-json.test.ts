import { describe, expect, it } from '@jest/globals';
import { byteByByte, cid, cidDigits, inPieces, outcomeOf } from '../../../tests/request-samples.ts';
import { readJsonRequest } from './read-json.ts';

const owner = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const sample = { cid, timestamp: '2023-11-14T22:13:20+00:00', file_name: 'a.txt' };
const read = (body: unknown, size?: number, maxObjects?: number) =>
  outcomeOf(readJsonRequest, typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body), {
    size,
    maxObjects,
  });

describe('the JSON form of a collection verify request', () => {
  const body = Buffer.from(
    `\t{"objects" : [\r\n${JSON.stringify(sample)}, {"timestamp":"2023-11-14 23:13:20.75+01:00","cid":"0x${cidDigits.toUpperCase()}","file_name":null}],
      "context": {"a": [1, -2.5e3, true, null, {"a": "\\u00e9\\ud83d\\ude00 é😀\\n"}], "objects": [{"cid": 7}]},
      "collection_name":"  R\\u0065ports é😀 ", "user_address":"${owner}", "file_name":"x" } \n`,
  );
  const expected = {
    lines: [
      `["${cidDigits}",1700000000,"2023-11-14T22:13:20+00:00"]`,
      `["${cidDigits}",1700000000,"2023-11-14 23:13:20.75+01:00"]`,
    ],
    requested: { name: { name: 'Reports é😀', folded: 'reports é😀' }, owner: owner.toLowerCase() },
  };

  it('is read the same however it is cut, with its keys in any order', async () => {
    for (let at = 0; at <= body.length; at++)
      expect(await outcomeOf(readJsonRequest, [body.subarray(0, at), body.subarray(at)])).toEqual(expected);
    expect(await outcomeOf(readJsonRequest, byteByByte(body))).toEqual(expected);
    for (const size of [2, 3, 7, 64]) expect(await outcomeOf(readJsonRequest, inPieces(body, size))).toEqual(expected);
  });

  it('is read without its byte order mark, however that is cut', async () => {
    const marked = Buffer.concat([Buffer.from('\ufeff'), body]);
    expect(await outcomeOf(readJsonRequest, [marked])).toEqual(expected);
    expect(await outcomeOf(readJsonRequest, byteByByte(marked))).toEqual(expected);
    for (const size of [2, 3, 4]) expect(await outcomeOf(readJsonRequest, inPieces(marked, size))).toEqual(expected);
    for (const refused of ['\ufeff', `\ufeff\ufeff${body}`, ` \ufeff${body}`, `\uff01${body}`])
      expect(await read(refused, 1)).toMatchObject({ status: 400, message: expect.stringContaining('not valid JSON') });
  });

  it('takes null for what is not given', async () => {
    expect(
      await read({ collection_name: null, user_address: null, context: null, file_name: null, objects: [sample] }),
    ).toMatchObject({ requested: { name: null, owner: null } });
  });

  it('takes an empty list with a collection only', async () => {
    expect(await read({ collection_name: 'A', objects: [] })).toMatchObject({ lines: [], requested: { owner: null } });
    expect(await read({ objects: [] })).toEqual({ status: 400, message: expect.stringContaining('objects') });
    expect(await read({ user_address: owner, objects: [] })).toMatchObject({ status: 400 });
  });

  it('is a 413 with more objects than the limit', async () => {
    expect(await read({ objects: [sample, sample] }, 50, 2)).toMatchObject({
      lines: [expect.any(String), expect.any(String)],
    });
    expect(await read({ objects: [sample, sample, sample] }, 50, 2)).toEqual({
      status: 413,
      message: expect.stringContaining('at most 2'),
    });
  });

  const one = JSON.stringify(sample);
  const deep = (open: string, close: string): string => open.repeat(30_000) + close.repeat(30_000);
  it.each<[string, unknown, string]>([
    ['no objects', {}, 'objects'],
    ['objects that are no array', { objects: { cid } }, 'objects'],
    ['null for objects', { objects: null }, 'objects'],
    ['an unknown key', { objects: [sample], colour: 'red' }, 'colour'],
    ['a key __proto__', `{"__proto__":{},"objects":[${one}]}`, '__proto__'],
    ['an unknown key of an object', { objects: [sample, { ...sample, colour: 'red' }] }, 'objects[1].colour'],
    ['a key given twice', `{"objects":[${one}],"objects":[]}`, 'objects: given twice'],
    ['a key given twice by an escape', `{"objects":[${one}],"obj\\u0065cts":[]}`, 'objects: given twice'],
    ['a key of an object given twice', `{"objects":[{"cid":"${cid}","cid":"${cid}"}]}`, 'cid: given twice'],
    ['a key of the context given twice', `{"context":{"a":{"b":1,"b":2}},"objects":[${one}]}`, 'b: given twice'],
    ['a context that is an array', { context: [], objects: [sample] }, 'context'],
    ['a context that is text', { context: 'x', objects: [sample] }, 'context'],
    ['a name that is a number', { collection_name: 7, objects: [sample] }, 'collection_name'],
    ['a name that is an object', { collection_name: {}, objects: [sample] }, 'collection_name'],
    ['an empty name', { collection_name: ' ', objects: [sample] }, 'collection_name'],
    ['a name with a separator', { collection_name: 'a/b', objects: [sample] }, 'collection_name'],
    ['a malformed address', { user_address: '0x12', objects: [sample] }, 'user_address'],
    [
      'an address with a wrong checksum',
      { user_address: owner.replace('aA', 'Aa'), objects: [sample] },
      'user_address',
    ],
    ['a file name that is a number', { file_name: 7, objects: [sample] }, 'file_name'],
    ['an object that is text', { objects: [cid] }, 'objects[0]'],
    ['an object that is an array', { objects: [sample, [cid]] }, 'objects[1]'],
    ['an object that is null', { objects: [null] }, 'objects[0]'],
    ['an object without a CID', { objects: [{ timestamp: sample.timestamp }] }, 'objects[0].cid'],
    ['an object without a timestamp', { objects: [sample, { cid }] }, 'objects[1].timestamp'],
    ['a malformed CID', { objects: [{ ...sample, cid: '0x12' }] }, 'objects[0].cid'],
    ['a CID without 0x', { objects: [{ ...sample, cid: cidDigits }] }, 'objects[0].cid'],
    ['the zero CID', { objects: [{ ...sample, cid: `0x${'0'.repeat(64)}` }] }, 'objects[0].cid'],
    ['a CID that is a number', { objects: [{ ...sample, cid: 7 }] }, 'objects[0].cid'],
    ['a CID that is null', { objects: [{ ...sample, cid: null }] }, 'objects[0].cid'],
    ['a CID that is an array', { objects: [{ ...sample, cid: [cid] }] }, 'objects[0].cid'],
    [
      'a timestamp without an offset',
      { objects: [{ ...sample, timestamp: '2023-11-14T22:13:20' }] },
      'objects[0].timestamp',
    ],
    ['a timestamp in epochs', { objects: [{ ...sample, timestamp: 1_700_000_000 }] }, 'objects[0].timestamp'],
    ['a file name of an object that is a number', { objects: [{ ...sample, file_name: 7 }] }, 'objects[0].file_name'],
    ['an array for the body', [sample], 'body'],
    ['text for the body', '"x"', 'body'],
    ['null for the body', 'null', 'body'],
    ['nothing', '', 'not valid JSON'],
    ['white space alone', ' \n', 'not valid JSON'],
    ['an end too early', `{"objects":[${one}`, 'not valid JSON'],
    ['an end within text', '{"objects', 'not valid JSON'],
    ['a second value', `{"objects":[${one}]}{}`, 'not valid JSON'],
    ['a comma before an end', `{"objects":[${one},]}`, 'not valid JSON'],
    ['a comma before the last brace', `{"objects":[${one}],}`, 'not valid JSON'],
    ['two commas', `{"objects":[${one},,${one}]}`, 'not valid JSON'],
    ['no comma', `{"objects":[${one}${one}]}`, 'not valid JSON'],
    ['no colon', '{"objects" []}', 'not valid JSON'],
    ['a key that is no text', '{1:[]}', 'not valid JSON'],
    ['the wrong bracket', '{"objects":[}]', 'not valid JSON'],
    ['single quotes', "{'objects':[]}", 'not valid JSON'],
    ['a comment', '{/* */"objects":[]}', 'not valid JSON'],
    ['NaN', '{"context":{"a":NaN},"objects":[]}', 'not valid JSON'],
    ['a number with a leading zero', '{"context":{"a":01},"objects":[]}', 'not valid JSON'],
    ['a line break within text', '{"collection_name":"a\nb","objects":[]}', 'not valid JSON'],
    ['an unknown escape', '{"collection_name":"\\x41","objects":[]}', 'not valid JSON'],
    ['a lone surrogate', '{"collection_name":"\\ud800","objects":[]}', 'surrogate'],
    ['a lone surrogate in a key', '{"\\udc00":1,"objects":[]}', 'surrogate'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22]), 'UTF-8'],
    ['a surrogate as UTF-8', Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22]), 'UTF-8'],
    ['UTF-8 cut at its end', Buffer.from([0x7b, 0x22, 0xc3]), 'UTF-8'],
    ['UTF-16', Buffer.from('{"objects":[]}', 'utf16le'), 'not valid JSON'],
    ['30,000 arrays', deep('[', ']'), 'body'],
    ['30,000 arrays for a CID', `{"objects":[{"cid":${deep('[', ']')}}]}`, 'objects[0].cid'],
    ['30,000 arrays in the context', `{"context":{"a":${deep('[', ']')}},"objects":[]}`, 'deeper'],
    ['30,000 objects in the context', `{"context":${deep('{"a":', '}')}`, 'deeper'],
    ['text without end', `{"collection_name":"${'a'.repeat(2 ** 20)}`, 'more than'],
    ['a number without end', `{"context":{"a":${'9'.repeat(2 ** 20)}`, 'more than'],
  ])('with %s is a 400 that names it', async (_what, body, name) => {
    for (const size of [1_000, 65_536])
      expect(await read(body, size)).toEqual({ status: 400, message: expect.stringContaining(name) });
  });

  it('is a 413 with a context over its limit', async () => {
    const context = Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`key ${i}`, i]));
    expect(await read({ context, objects: [sample] }, 65_536)).toMatchObject({ status: 413 });
  });
});
