import { cidOfContent } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import { readStampForm, type StampFormInput } from './read-stamp-form.ts';

const cid = cidOfContent('content');
const other = cidOfContent('other');
const given = (texts: Record<string, string>, content: Partial<StampFormInput> = {}): StampFormInput => ({
  texts: new Map(Object.entries(texts)),
  data: undefined,
  file: undefined,
  ...content,
});
const file = { cid, name: 'a.txt' };
const data = { cid, size: 7 };

describe('a stamp form', () => {
  it('takes a CID alone, with the defaults of the specification', () => {
    expect(readStampForm(given({ data_cid: cid }))).toEqual({
      objectCid: cid,
      set: { kind: 'none' },
      content: undefined,
      idempotency: { windowSeconds: 3600 },
    });
  });

  it('answers CIDs in lower case', () => {
    expect(readStampForm(given({ data_cid: `0x${cid.slice(2).toUpperCase()}` }))).toMatchObject({ objectCid: cid });
  });

  it('takes contents that denote the same CID, and stores the file of them', () => {
    expect(readStampForm(given({ data_cid: cid }, { file, data }))).toMatchObject({
      objectCid: cid,
      content: { from: 'file', fileName: 'a.txt' },
    });
  });

  it.each([
    ['TRUE', true],
    ['fAlSe', false],
    ['1', true],
    ['0', false],
  ])('reads the boolean %s', (text, stored) => {
    const read = readStampForm(given({ store_stamped_file: text, idempotent: text }, { file }));
    expect(read).toMatchObject(
      stored
        ? { content: { from: 'file' }, idempotency: { windowSeconds: 3600 } }
        : { content: undefined, idempotency: null },
    );
  });

  it('trims a collection name and keeps its letter case', () => {
    expect(readStampForm(given({ data_cid: cid, collection_name: '  Été ' }))).toMatchObject({
      set: { kind: 'named', name: 'Été', folded: 'été' },
    });
  });

  it('names data by file_name, and by its CID without one', () => {
    expect(readStampForm(given({ file_name: 'n.txt' }, { data }))).toMatchObject({ content: { fileName: 'n.txt' } });
    expect(readStampForm(given({}, { data }))).toMatchObject({ content: { from: 'data', fileName: null } });
  });

  it.each([
    ['a file', { file }],
    ['a CID alone', {}],
  ])('ignores file_name with %s, whatever it holds', (_what, content) => {
    expect(readStampForm(given({ file_name: '../..', data_cid: cid }, content))).not.toHaveProperty('fault');
  });

  it.each<[string, Record<string, string>, Partial<StampFormInput>, string]>([
    ['nothing to stamp', {}, {}, 'file, data, data_cid'],
    ['contents that differ', { data_cid: other }, { file }, 'file, data_cid'],
    ['empty data', {}, { data: { cid, size: 0 } }, 'data'],
    ['a malformed CID', { data_cid: '0x12' }, {}, 'data_cid'],
    ['the zero CID', { data_cid: `0x${'0'.repeat(64)}` }, {}, 'data_cid'],
    ['an empty CID', { data_cid: '' }, {}, 'data_cid'],
    ['the zero collection', { data_cid: cid, collection_cid: `0x${'0'.repeat(64)}` }, {}, 'collection_cid'],
    [
      'both collections',
      { data_cid: cid, collection_cid: cid, collection_name: 'a' },
      {},
      'collection_cid, collection_name',
    ],
    ['an empty collection name', { data_cid: cid, collection_name: ' ' }, {}, 'collection_name'],
    ['a collection name with a slash', { data_cid: cid, collection_name: 'a/b' }, {}, 'collection_name'],
    ['a boolean of another word', { data_cid: cid, idempotent: 'yes' }, {}, 'idempotent'],
    ['an empty boolean', { data_cid: cid, store_stamped_file: '' }, {}, 'store_stamped_file'],
    ['a window too wide', { data_cid: cid, idempotency_window: '31536001' }, {}, 'idempotency_window'],
    ['a negative window', { data_cid: cid, idempotency_window: '-1' }, {}, 'idempotency_window'],
    ['a broken window', { data_cid: cid, idempotency_window: '1.5' }, {}, 'idempotency_window'],
    ['a file name that is a path', {}, { file: { cid, name: 'a/b' } }, 'file'],
    ['an empty file name', {}, { file: { cid, name: '' } }, 'file'],
    ['a data name with a control character', { file_name: 'a\u0007' }, { data }, 'file_name'],
    ['a data name that is too long', { file_name: 'é'.repeat(128) }, { data }, 'file_name'],
    ['a data name of two dots', { file_name: '..' }, { data }, 'file_name'],
  ])('refuses %s and names the field', (_what, texts, content, field) => {
    expect(readStampForm(given(texts, content))).toMatchObject({ field });
  });
});
