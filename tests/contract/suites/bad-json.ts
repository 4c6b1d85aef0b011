import { describe, it } from '@jest/globals';
import sha3 from 'js-sha3';
import type { Api } from '../support/api.ts';
import { expectRefusal } from '../support/refusal.ts';

const cid = `0x${sha3.sha3_256('bad JSON')}`;
const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
const deepObject = `${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}`;
const long = 'n'.repeat(9_000);

const cases: readonly [what: string, path: string, body: string | Buffer, named: string | RegExp][] = [
  ['nothing', '/stamps/verify', '', 'JSON'],
  ['a part of JSON', '/stamps/verify', '{"cids":[', 'JSON'],
  ['more than JSON', '/stamps/verify', `{"cids":["${cid}"]} {}`, 'JSON'],
  ['a byte order mark', '/stamps/verify', `\ufeff{"cids":["${cid}"]}`, 'JSON'],
  ['UTF-16', '/stamps/verify', Buffer.from(`{"cids":["${cid}"]}`, 'utf16le'), /JSON|UTF-8/],
  ['bytes that are no UTF-8', '/collections', Buffer.from('{"name":"\xff"}', 'latin1'), 'UTF-8'],
  ['a comment', '/collections', '{"name":"x" /* y */}', 'JSON'],
  ['NaN', '/collections', '{"name":"x","is_pinned":NaN}', 'JSON'],
  ['an array', '/stamps/verify', '[]', 'body'],
  ['a string', '/stamps/verify', '"x"', 'body'],
  ['null', '/stamps/verify', 'null', 'body'],
  ['a number', '/collections', '1', 'body'],
  ['30,000 arrays in one another', '/stamps/verify', deep, 'body'],
  ['30,000 objects in one another', '/collections', deepObject, /name|\ba\b/],
  ['30,000 arrays as a value', '/stamps/verify', `{"cids":${deep}}`, 'cids'],
  ['30,000 objects as a name', '/collections', `{"name":${deepObject}}`, 'name'],
  ['a key twice', '/stamps/verify', `{"cids":["${cid}"],"cids":["${cid}"]}`, 'cids'],
  ['a key twice under an escape', '/collections', '{"name":"x","\\u006eame":"y"}', 'name'],
  ['an unknown key', '/stamps/verify', `{"cids":["${cid}"],"colour":"red"}`, 'colour'],
  ['a key __proto__', '/stamps/verify', `{"cids":["${cid}"],"__proto__":{"filter_by_user":true}}`, '__proto__'],
  ['a key __proto__ alone', '/collections', '{"__proto__":{"name":"x"}}', /name|__proto__/],
  ['a key constructor', '/collections', '{"name":"x","constructor":{"prototype":{}}}', 'constructor'],
  ['a key hasOwnProperty', '/collections', '{"name":"x","hasOwnProperty":1}', 'hasOwnProperty'],
  ['no cids', '/stamps/verify', '{}', 'cids'],
  ['cids that are none', '/stamps/verify', '{"cids":null}', 'cids'],
  ['cids that are a string', '/stamps/verify', `{"cids":"${cid}"}`, 'cids'],
  ['no CID in cids', '/stamps/verify', '{"cids":[]}', 'cids'],
  ['10,001 CIDs', '/stamps/verify', JSON.stringify({ cids: Array(10_001).fill(cid) }), 'cids'],
  ['a number among the CIDs', '/stamps/verify', `{"cids":["${cid}",1]}`, 'cids/1'],
  ['filter_by_user as text', '/stamps/verify', `{"cids":["${cid}"],"filter_by_user":"true"}`, 'filter_by_user'],
  ['filter_by_user as a number', '/stamps/verify', `{"cids":["${cid}"],"filter_by_user":1}`, 'filter_by_user'],
  ['no name', '/collections', '{}', 'name'],
  ['a name that is null', '/collections', '{"name":null}', 'name'],
  ['a name that is a number', '/collections', '{"name":7}', 'name'],
  ['an empty name', '/collections', '{"name":""}', 'name'],
  ['a name of white space', '/collections', '{"name":" \\u00a0\\t"}', 'name'],
  ['a name with a slash', '/collections', '{"name":"a/b"}', 'name'],
  ['a name with a backslash', '/collections', '{"name":"a\\\\b"}', 'name'],
  ['a name of one dot', '/collections', '{"name":"."}', 'name'],
  ['a name of two dots', '/collections', '{"name":".."}', 'name'],
  ['a name with a NUL', '/collections', '{"name":"a\\u0000"}', 'name'],
  ['a name with a C1 control character', '/collections', '{"name":"a\\u0085b"}', 'name'],
  ['a name of 256 bytes', '/collections', JSON.stringify({ name: 'é'.repeat(128) }), 'name'],
  ['a name of 9 kB', '/collections', JSON.stringify({ name: long }), 'name'],
  ['a lone surrogate', '/collections', '{"name":"\\ud800"}', 'surrogate'],
  [
    'a lone surrogate in a description',
    '/collections',
    '{"name":"x","description":"\\udc00"}',
    /description.*surrogate/,
  ],
  ['a NUL in a description', '/collections', '{"name":"x","description":"a\\u0000b"}', 'description'],
  ['an escape in a description', '/collections', '{"name":"x","description":"\\u001b[2J"}', 'description'],
  ['an empty description', '/collections', '{"name":"x","description":""}', 'description'],
  ['a description that is a number', '/collections', '{"name":"x","description":1}', 'description'],
  ['is_pinned as text', '/collections', '{"name":"x","is_pinned":"true"}', 'is_pinned'],
  ['is_pinned as a number', '/collections', '{"name":"x","is_pinned":1}', 'is_pinned'],
  ['an unknown key beside a name', '/collections', '{"name":"x","is_public":true}', 'is_public'],
];

const cidsAtFault = [
  '',
  '0x',
  `0X${cid.slice(2)}`,
  cid.slice(2),
  cid.slice(0, -1),
  `${cid}0`,
  `${cid.slice(0, -1)}g`,
  ` ${cid}`,
  `${cid}\n`,
  `0x${'0'.repeat(64)}`,
  `0x${'１'.repeat(64)}`,
  'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbdG',
];

/** The list of bad input, for JSON bodies: a 400 that names the key. */
export function badJson(ada: () => Api): void {
  describe('a JSON body at fault', () => {
    it.each(cases)('of %s at %s is a 400 that names the culprit', async (_what, path, body, named) => {
      expectRefusal(await ada().postJson(path, body), 400, named);
    });

    it.each(cidsAtFault)('with the CID %j is a 400 that names its place', async (text) => {
      expectRefusal(await ada().postJson('/stamps/verify', { cids: [cid, text] }), 400, 'cids/1');
      expectRefusal(await ada().postJson('/collections', { name: 'With a CID', cid: text }), 400, 'cid');
    });

    it('beyond the limit is a 413', async () => {
      expectRefusal(await ada().postJson('/stamps/verify', ' '.repeat(3 * 2 ** 20)), 413);
    });
  });
}
