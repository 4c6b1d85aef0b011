import { describe, expect, it } from '@jest/globals';
import sha3 from 'js-sha3';
import type { Api } from '../support/api.ts';
import { limits } from '../support/contract-stack.ts';
import { boundary, field, file, multipart, multipartType, type WrittenPart } from '../support/multipart.ts';
import { expectRefusal } from '../support/refusal.ts';

const cid = `0x${sha3.sha3_256('a form at fault')}`;
const other = `0x${sha3.sha3_256('something else')}`;
const urlencoded = 'Content-Type: application/x-www-form-urlencoded';
const long = 'n'.repeat(9_000);

const parts: readonly [what: string, parts: readonly WrittenPart[], status: number, named: string | RegExp][] = [
  ['no part at all', [], 400, 'data_cid'],
  ['none of the three contents', [field('collection_name', 'Nothing')], 400, /file, data.*data_cid/],
  ['a file and data that disagree', [file('a.txt', 'a'), field('data', 'b')], 400, /file, data/],
  ['a file and a CID that disagree', [file('a.txt', 'a'), field('data_cid', other)], 400, /file, data_cid/],
  ['data and a CID that disagree', [field('data', 'a'), field('data_cid', other)], 400, /data, data_cid/],
  ['empty data', [field('data', '')], 400, 'data'],
  ['a field repeated', [field('data_cid', cid), field('data_cid', cid)], 400, 'data_cid'],
  ['two files', [file('a', 'a'), file('b', 'a')], 400, 'file'],
  ['a part without a name', [['Content-Disposition: form-data; filename="a"', 'x']], 400, 'name'],
  ['a part without anything', [['Content-Disposition: form-data', 'x']], 400, /name|Content-Disposition/],
  ['a part with an empty name', [field('', 'x')], 400, 'name'],
  ['a part without a disposition', [['Content-Type: text/plain', 'x']], 400, 'Content-Disposition'],
  ['a part that is an attachment', [['Content-Disposition: attachment; name="data"', 'x']], 400, 'Content-Disposition'],
  ['a file without a file name', [field('file', 'bytes')], 400, 'file'],
  ['a file with an empty file name', [file('', 'bytes')], 400, 'file'],
  ['a field that comes as a file', [file('a', cid, 'data_cid')], 400, 'data_cid'],
  ['an unknown field', [field('data_cid', cid), field('colour', 'red')], 400, 'colour'],
  ['an unknown field in another letter case', [field('Data_cid', cid)], 400, 'Data_cid'],
  ['a field __proto__', [field('data_cid', cid), field('__proto__', 'x')], 400, '__proto__'],
  ['a field constructor', [field('data_cid', cid), field('constructor', 'x')], 400, 'constructor'],
  ['thousands of parts', Array.from({ length: 5_000 }, (_, i) => field(`f${i}`, 'x')), 400, 'f0'],
  [
    'a part with another charset',
    [['Content-Disposition: form-data; name="data"\r\nContent-Type: text/plain; charset=utf-16', 'x']],
    400,
    'data',
  ],
  [
    'a part in base64',
    [['Content-Disposition: form-data; name="data"\r\nContent-Transfer-Encoding: base64', 'eA==']],
    400,
    'data',
  ],
  ['a part whose header is cut', [['Content-Disposition', 'x']], 400, 'header'],
  ['a part whose headers take 20 kB', [[`Content-Disposition: form-data; name="${'n'.repeat(20_000)}"`, 'x']], 400, ''],
  ['data that is no UTF-8', [field('data', Buffer.from([0xff, 0xfe, 0x00]))], 400, 'data'],
  ['a lone surrogate in data', [field('data', Buffer.from([0xed, 0xa0, 0x80]))], 400, 'data'],
  [
    'a lone surrogate in a collection name',
    [field('data_cid', cid), field('collection_name', Buffer.from([0xed, 0xb0, 0x80]))],
    400,
    'collection_name',
  ],
  ['a lone surrogate in a file name', [[Buffer.from([0xed, 0xa0, 0x80]).toString('latin1'), 'x']], 400, ''],
  [
    'a collection CID and a name',
    [field('data_cid', cid), field('collection_cid', other), field('collection_name', 'x')],
    400,
    /collection_cid.*collection_name/,
  ],
  ['data beyond its limit', [field('data', 'x'.repeat(limits.dataBytes + 1))], 413, String(limits.dataBytes)],
  ['a file beyond its limit', [file('a', Buffer.alloc(limits.fileBytes + 1))], 413, 'large'],
];

const namesAtFault: readonly [what: string, name: string][] = [
  ['a slash', 'a/b'],
  ['a backslash', 'a\\\\b'],
  ['a path upwards', '../../etc/passwd'],
  ['one dot', '.'],
  ['two dots', '..'],
  ['a NUL', 'a\u0000b'],
  ['a tab', 'a\tb'],
  ['a DEL', 'a\u007f'],
  ['a C1 control character', 'a\u0085'],
  ['256 bytes', 'x'.repeat(256)],
  ['256 bytes of two-byte characters', 'é'.repeat(128)],
  ['9 kB', long],
];

const cidsAtFault = [
  '',
  '0x',
  '0X'.concat(cid.slice(2)),
  cid.slice(2),
  cid.slice(0, -1),
  `${cid}0`,
  `${cid.slice(0, -1)}g`,
  ` ${cid}`,
  `${cid}\n`,
  `${cid},${cid}`,
  `0x${'0'.repeat(64)}`,
  `0x${'１'.repeat(64)}`,
  'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbdG',
  'null',
  '{}',
];
const integersAtFault = [
  '',
  '-1',
  '+5',
  '1.0',
  '1e3',
  '0x10',
  ' 5',
  '5 ',
  '1_000',
  '1,000',
  '31536001',
  '9'.repeat(400),
  'NaN',
  'Infinity',
  'true',
  'null',
  '٣',
  '５',
];
const booleansAtFault = ['', 'yes', 'no', 'on', 'off', '2', '-1', 'truee', ' true', 'null', 'undefined', '１'];

/** The list of bad input, for the form of POST /stamps: a clear 4xx that names the field. */
export function badForms(ada: () => Api): void {
  describe('a form at fault', () => {
    it.each(parts)('with %s is refused, and the culprit is named', async (_what, written, status, named) => {
      expectRefusal(await ada().stampParts(written), status, named);
    });

    it.each(namesAtFault)('whose collection name has %s is a 400 that names collection_name', async (_what, name) => {
      const parts = [field('data_cid', cid), field('collection_name', name.replace('\\\\', '\\'))];
      expectRefusal(await ada().stampParts(parts), 400, 'collection_name');
    });

    it.each(namesAtFault)('whose file_name has %s is a 400 that names file_name', async (_what, name) => {
      const parts = [field('data', 'x'), field('file_name', name.replace('\\\\', '\\'))];
      expectRefusal(await ada().stampParts(parts), 400, 'file_name');
    });

    it.each(namesAtFault)('whose file is called with %s is a 400 that names file', async (_what, name) => {
      expectRefusal(await ada().stampParts([file(name, 'x')]), 400, 'file');
    });

    it.each([' ', '\u00a0', '\t'])('whose collection name is only white space (%j) is a 400', async (name) => {
      expectRefusal(
        await ada().stampParts([field('data_cid', cid), field('collection_name', name)]),
        400,
        'collection_name',
      );
    });

    it.each(cidsAtFault)('whose data_cid is %j is a 400 that names it', async (text) => {
      expectRefusal(await ada().stampParts([field('data_cid', text)]), 400, 'data_cid');
    });

    it.each(cidsAtFault)('whose collection_cid is %j is a 400 that names it', async (text) => {
      const parts = [field('data_cid', cid), field('collection_cid', text)];
      expectRefusal(await ada().stampParts(parts), 400, 'collection_cid');
    });

    it.each(integersAtFault)('whose idempotency_window is %j is a 400 that names it', async (text) => {
      expectRefusal(await ada().stamp({ data_cid: cid, idempotency_window: text }), 400, 'idempotency_window');
    });

    it.each(booleansAtFault)('whose booleans are %j is a 400 that names them', async (text) => {
      for (const name of ['store_stamped_file', 'idempotent'])
        expectRefusal(await ada().stamp({ data_cid: cid, [name]: text }), 400, name);
    });

    it.each([
      ['without its closing boundary', multipart([field('data_cid', cid)], ''), 400],
      [
        'that ends within a part',
        Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="data"\r\n\r\nab`),
        400,
      ],
      ['that ends within the headers of a part', Buffer.from(`--${boundary}\r\nContent-Disp`), 400],
      ['of another boundary', Buffer.from('--another\r\n\r\n\r\n--another--\r\n'), 400],
      ['of nothing', Buffer.alloc(0), 400],
      ['of 1 MB of dashes', Buffer.alloc(2 ** 20, '-'), 400],
    ] as const)('%s is a 400', async (_what, body, status) => {
      expectRefusal(await ada().send({ path: '/stamps', headers: [multipartType], body }), status, 'multipart');
    });

    it.each([
      ['a broken escape', 'data=%f', 400, 'data'],
      ['a broken escape in a name', 'da%zzta=1', 400, 'form'],
      ['bytes that are no UTF-8', 'data=%ff%fe', 400, 'data'],
      ['a lone surrogate', 'data=%ed%a0%80', 400, 'data'],
      ['a field without a name', '=1', 400, 'field'],
      ['a field without a value', 'data_cid', 400, 'data_cid'],
      ['a field repeated', `data_cid=${cid}&data_cid=${cid}`, 400, 'data_cid'],
      ['a field repeated under an escape', `data_cid=${cid}&data%5Fcid=${cid}`, 400, 'data_cid'],
      ['a name in brackets', `data_cid[]=${cid}`, 400, 'data_cid[]'],
      ['thousands of fields', `data_cid=${cid}${'&a=1'.repeat(5_000)}`, 400, 'a'],
      ['a name of 9 kB', `${long}=1`, 400, 'name'],
      ['a file', 'file=bytes', 400, 'file'],
      ['__proto__', `data_cid=${cid}&__proto__=1`, 400, '__proto__'],
      ['nothing in it', '', 400, 'data_cid'],
      ['data beyond its limit', `data=${'x'.repeat(limits.dataBytes + 1)}`, 413, String(limits.dataBytes)],
    ])('urlencoded with %s is refused, and the culprit is named', async (_what, body, status, named) => {
      const answer = await ada().send({ path: '/stamps', headers: [urlencoded], body });
      expectRefusal(answer, status, named);
    });

    it('says which CID is not registered, and that on-chain-only collections are unsupported', async () => {
      const answer = await ada().stamp({ data_cid: cid, collection_cid: other.toUpperCase().replace('0X', '0x') });
      expectRefusal(answer, 400, 'collection_cid');
      expect(answer.body.error).toMatch(new RegExp(`^Collection CID is not registered in your \\S+ account: ${other}`));
      expect(`${answer.body.error} ${answer.body.details}`).toMatch(/unsupported/);
    });
  });
}
