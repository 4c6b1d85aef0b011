import { cidOfContent } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseStrictJson } from '../../json/strict-json.ts';
import { createLineReader } from './read-line.ts';

const cid = cidOfContent('a');
const read = createLineReader();

describe('a line', () => {
  it('has a CID, in lower case, and no collection or one by its name or its CID', () => {
    const upper = `0x${cid.slice(2).toUpperCase()}`;
    expect(read(JSON.stringify({ data_cid: upper }))).toEqual({
      objectCid: cid,
      set: { kind: 'none' },
      clientRef: undefined,
    });
    expect(read(JSON.stringify({ data_cid: cid, collection_name: ' Forest ', client_ref: 'a' }))).toEqual({
      objectCid: cid,
      set: { kind: 'named', name: 'Forest', folded: 'forest' },
      clientRef: 'a',
    });
    expect(read(JSON.stringify({ data_cid: cid, collection_cid: upper }))).toMatchObject({ set: { kind: 'cid', cid } });
  });

  it('may have white space, escapes and nulls as JSON may', () => {
    expect(read(` { "data\\u005fcid" :  "${cid}" , "collection_cid":null,"client_ref":null } \r`)).toEqual({
      objectCid: cid,
      set: { kind: 'none' },
      clientRef: undefined,
    });
  });

  it.each<[string, string, string]>([
    ['that is no JSON', '{"data_cid":', 'the line is not valid JSON'],
    ['that is a list', `["${cid}"]`, 'the line must be a JSON object'],
    ['that is null', 'null', 'the line must be a JSON object'],
    ['without a CID', '{}', 'data_cid: must be given'],
    ['whose CID is null', '{"data_cid":null}', 'data_cid: must be given'],
    ['whose CID is a number', '{"data_cid":1}', 'data_cid: must be a string'],
    ['whose CID is none', '{"data_cid":"0x1"}', 'data_cid: must be a CID: 0x and 64 hex digits'],
    ['whose CID is zero', `{"data_cid":"0x${'0'.repeat(64)}"}`, 'data_cid: must not be the zero CID'],
    ['with an unknown key', `{"data_cid":"${cid}","colour":"red"}`, 'colour: unknown key'],
    ['with a key of objects', `{"data_cid":"${cid}","__proto__":{}}`, '__proto__: unknown key'],
    ['with an empty name', `{"data_cid":"${cid}","collection_name":" "}`, 'collection_name: must not be empty'],
    [
      'with a bad collection CID',
      `{"data_cid":"${cid}","collection_cid":"x"}`,
      'collection_cid: must be a CID: 0x and 64 hex digits',
    ],
    [
      'with a name and a CID',
      `{"data_cid":"${cid}","collection_cid":"${cid}","collection_name":"a"}`,
      'collection_cid, collection_name: at most one of them may be given',
    ],
    ['with a key twice', `{"data_cid":"${cid}","data_cid":"${cid}"}`, 'data_cid: given twice'],
    ['with a key twice, once escaped', `{"data_cid":0,"data\\u005fcid":"${cid}"}`, 'data_cid: given twice'],
    ['with a reference twice', `{"client_ref":"","data_cid":"${cid}","client_ref":"b"}`, 'client_ref: given twice'],
    [
      'with a lone surrogate',
      `{"data_cid":"${cid}","collection_name":"\\ud800"}`,
      'collection_name: must not contain lone surrogates',
    ],
    [
      'with a reference of 201 characters',
      `{"data_cid":"${cid}","client_ref":"${'é'.repeat(201)}"}`,
      'client_ref: must be text without control characters, at most 200 characters',
    ],
    [
      'with a reference that is no text',
      `{"data_cid":"${cid}","client_ref":"\\udc00"}`,
      'client_ref: must be text without control characters, at most 200 characters',
    ],
  ])('%s is an error that names the field', (_case, text, error) => {
    expect(read(text)).toMatchObject({ error });
  });

  it('that is invalid still has its reference if that can be read', () => {
    expect(read('{"data_cid":"0x","client_ref":"row 7"}')).toMatchObject({ clientRef: 'row 7' });
  });

  it('counts characters of a reference, not units of UTF-16', () => {
    const client_ref = '😀'.repeat(200);
    expect(read(JSON.stringify({ data_cid: cid, client_ref }))).toMatchObject({ clientRef: client_ref });
  });

  it('is refused for a repeated key whenever strict JSON refuses it, whatever its spacing and spelling', () => {
    const space = fc.constantFrom('', ' ', '\t', '    ');
    const key = fc.constantFrom('data_cid', 'collection_name', 'client_ref', 'client\\u005fref');
    const value = fc.constantFrom('null', '"a"', `"${cid}"`, '"\\u0061"', '""');
    const members = fc.array(fc.tuple(space, key, space, value, space), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(members, (all) => {
        const text = `{${all.map(([a, name, b, given, c]) => `${a}"${name}"${b}:${given}${c}`).join(',')}}`;
        const strict = ((): string => {
          try {
            parseStrictJson(Buffer.from(text));
            return 'fine';
          } catch (error) {
            return (error as Error).message;
          }
        })();
        const line = read(text);
        const reported = 'error' in line && line.error.endsWith('given twice') ? line.error : 'fine';
        expect(reported).toBe(strict);
      }),
      { numRuns: 2_000 },
    );
  });
});
