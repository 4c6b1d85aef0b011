import { describe, expect, it } from '@jest/globals';
import sha3 from 'js-sha3';
import type { Api } from '../support/api.ts';
import { field, file, multipart, multipartType, type WrittenPart } from '../support/multipart.ts';
import { expectRefusal } from '../support/refusal.ts';

const cid = `0x${sha3.sha3_256('bad operations')}`;
const time = '2026-03-01 09:30:00+00:00';
const csv = 'Content-Type: text/csv';
const json = (objects: unknown, more: object = {}): string =>
  JSON.stringify({ collection_name: 'Bad', ...more, objects });

const bodies: readonly [what: string, type: string, body: string | Buffer, named: string | RegExp][] = [
  ['no objects key', 'JSON', '{"collection_name":"Bad"}', 'objects'],
  ['objects that are null', 'JSON', json(null), 'objects'],
  ['objects that are an object', 'JSON', json({}), 'objects'],
  ['no objects without a name', 'JSON', '{"objects":[]}', 'objects'],
  ['an unknown key', 'JSON', json([], { colour: 'red' }), 'colour'],
  ['a key __proto__', 'JSON', '{"__proto__":{},"collection_name":"Bad","objects":[]}', '__proto__'],
  ['a key twice', 'JSON', '{"collection_name":"Bad","collection_name":"x","objects":[]}', 'collection_name'],
  ['an object with an unknown key', 'JSON', json([{ cid, timestamp: time, size: 1 }]), 'size'],
  ['an object without a cid', 'JSON', json([{ timestamp: time }]), 'cid'],
  ['an object without a timestamp', 'JSON', json([{ cid }]), 'timestamp'],
  ['a short CID', 'JSON', json([{ cid: '0x12', timestamp: time }]), 'cid'],
  ['the zero CID', 'JSON', json([{ cid: `0x${'0'.repeat(64)}`, timestamp: time }]), 'cid'],
  [
    'an address with a wrong checksum',
    'JSON',
    json([], { user_address: '0xfB6916095CA1df60bb79CE92CE3EA74C37C5D359' }),
    'user_address',
  ],
  ['a context that is no object', 'JSON', json([], { context: 7 }), 'context'],
  ['a name with a slash', 'JSON', json([], { collection_name: 'a/b' }), 'collection_name'],
  [
    '30,000 arrays in one another',
    'JSON',
    `{"collection_name":"Bad","objects":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
    /objects|nested|deep/,
  ],
  ['a context 30,000 levels deep and open', 'JSON', `{"context":${'{"a":'.repeat(30_000)}`, /JSON|context|deep|nested/],
  ['a part of JSON', 'JSON', '{"objects":[{"cid":', 'JSON'],
  ['nothing', 'CSV', '', /line|header|empty/i],
  ['no header', 'CSV', `${time},${cid},a\n`, /line 1/],
  ['a header in another order', 'CSV', `c,t,f\n${cid},${time},a\n`, /line 1/],
  ['a row with a column more', 'CSV', `t,c,f\n${time},${cid},a,b\n`, /line 2/],
  ['a row with a column less', 'CSV', `t,c,f\n${time},${cid}\n`, /line 2/],
  ['a row with a CID that is none', 'CSV', `t,c\n${time},${cid}\n${time},nonsense\n`, /line 3/],
  ['UTF-16', 'CSV', Buffer.from(`\ufefft,c\n${time},${cid}\n`, 'utf16le'), /UTF-8|line/],
  ['bytes that are no UTF-8', 'CSV', Buffer.from(`t,c,f\n${time},${cid},\xff\n`, 'latin1'), /UTF-8/],
  ['lone carriage returns', 'CSV', `t,c\r${time},${cid}\r`, /line/],
  ['an unclosed quote', 'CSV', `t,c,f\n${time},${cid},"a\n`, /line|quote/i],
  ['text behind a quote', 'CSV', `t,c,f\n${time},${cid},"a"b\n`, /line|quote/i],
  ['a million columns', 'CSV', `t,c\n${','.repeat(1_000_000)}\n`, /line/],
  ['1 MB in a cell', 'CSV', `t,c,f\n${time},${cid},${'x'.repeat(2 ** 20)}\n`, /line/],
  ['a metadata section without its values', 'CSV', 'collection_name,user_address\n', /line|header/],
  [
    'a zone that is none',
    'CSV',
    `collection_name,user_address,collection_timezone\nBad,,Moon/Base\nt,c\n${time},${cid}\n`,
    /collection_timezone|line/,
  ],
];

const timestampsAtFault = [
  '',
  '2026-03-01 09:30:00',
  '2026-03-01',
  '1772357400',
  '1772357400000',
  '2026-02-30 09:30:00+00:00',
  '2026-03-01 25:30:00+00:00',
  '2026-03-01 09:30:00+99:00',
  '+275760-09-13T00:00:00+00:00',
  '275760-09-13 00:00:00+00:00',
  '1969-12-31 23:59:59+00:00',
  '0000-01-01 00:00:00+00:00',
  'yesterday',
];

const uploads: readonly [what: string, parts: readonly WrittenPart[], status: number, named: string | RegExp][] = [
  ['no collection', [file('a', 'a')], 400, /collection_name.*collection_cid/],
  ['an empty collection name', [field('collection_name', ''), file('a', 'a')], 400, 'collection_name'],
  ['a CID of no collection that is malformed', [field('collection_cid', '0x1'), file('a', 'a')], 400, 'collection_cid'],
  ['neither file nor data', [field('collection_name', 'Bad')], 400, /file, data|file.*data/],
  ['file and data', [field('collection_name', 'Bad'), file('a', 'a'), field('data', 'a')], 400, /file.*data/],
  ['data without a name', [field('collection_name', 'Bad'), field('data', 'a')], 400, 'file_name'],
  [
    'an unknown field',
    [field('collection_name', 'Bad'), file('a', 'a'), field('user_address', '0x')],
    400,
    'user_address',
  ],
  [
    'a field of POST /stamps',
    [field('collection_name', 'Bad'), file('a', 'a'), field('idempotent', 'true')],
    400,
    'idempotent',
  ],
  ['a collection that is not there', [field('collection_name', 'Bad'), file('a', 'a')], 404, /^Collection not found/],
];

/** The list of bad input, for verifying collections and uploading stamped files. */
export function badOperations(ada: () => Api): void {
  const verify = (type: string, body: string | Buffer) =>
    ada().send({
      path: '/collections/verify',
      headers: [type === 'CSV' ? csv : 'Content-Type: application/json'],
      body,
    });

  describe('a collection to verify, at fault', () => {
    it.each(bodies)('by %s (%s) is a 400 that names the culprit', async (_what, type, body, named) => {
      expectRefusal(await verify(type, body), 400, named);
    });

    it.each(timestampsAtFault)('by the timestamp %j is a 400 that names it, in JSON and in CSV', async (text) => {
      expectRefusal(await verify('JSON', json([{ cid, timestamp: text }])), 400, 'timestamp');
      expectRefusal(await verify('CSV', `t,c\n${text},${cid}\n`), 400, /line 2/);
    });

    it.each([
      ['a file that is neither .csv nor .json', [file('a.txt', 't,c\n')], /file/],
      ['no file', [], /file/],
      ['two files', [file('a.csv', `t,c\n${time},${cid}\n`), file('b.csv', `t,c\n${time},${cid}\n`)], /file/],
      ['another field', [field('collection_name', 'x')], /collection_name/],
    ] as [string, readonly WrittenPart[], RegExp][])('by a form with %s is a 400', async (_what, parts, named) => {
      const body = multipart(parts);
      expectRefusal(await ada().send({ path: '/collections/verify', headers: [multipartType], body }), 400, named);
    });

    it('of another content type is a 415', async () => {
      const headers = ['Content-Type: application/xml'];
      expectRefusal(await ada().send({ path: '/collections/verify', headers, body: '<a/>' }), 415, 'text/csv');
    });
  });

  describe('an upload at fault', () => {
    it.each(uploads)('with %s is refused, and the culprit is named', async (_what, parts, status, named) => {
      const body = multipart(parts);
      const answer = await ada().send({ path: '/stamps/upload-stamped-file', headers: [multipartType], body });
      expectRefusal(answer, status, named);
    });
  });

  describe('addresses in paths, and keys of idempotency, at fault', () => {
    it.each(['0x12', 'nobody', '__proto__', '0xfB6916095CA1df60bb79CE92CE3EA74C37C5D359', `0x${'1'.repeat(41)}`])(
      'the address %s is a 400 that names it',
      async (address) => {
        expectRefusal(await ada().get(`/users/${address}`), 400, 'user_address');
      },
    );

    it.each([
      ['of 256 characters', 'k'.repeat(256)],
      ['that is empty', ''],
      ['of more than ASCII', 'kéy'],
    ])('an Idempotency-Key %s is a 400 that names it', async (_what, key) => {
      expectRefusal(await ada().stamp({ data_cid: cid }, [`Idempotency-Key: ${key}`]), 400, 'Idempotency-Key');
    });

    it('an Idempotency-Key given twice is a 400 that names it', async () => {
      const answer = await ada().stamp({ data_cid: cid }, ['Idempotency-Key: a', 'Idempotency-Key: a']);
      expectRefusal(answer, 400, 'Idempotency-Key');
      expect(answer.body.error).toContain('twice');
    });
  });
}
