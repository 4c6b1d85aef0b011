import { describe, expect, it } from '@jest/globals';
import { readUploadForm, type UploadFormInput } from './read-upload-form.ts';

const cid = `0x${'ab'.repeat(32)}`;
const read = (texts: Record<string, string>, content: Partial<Omit<UploadFormInput, 'texts'>>) =>
  readUploadForm({ texts: new Map(Object.entries(texts)), data: undefined, file: undefined, ...content });
const file = { file: { name: 'cat.jpg' } };
const data = { data: { size: 3 } };

describe('the form of an upload', () => {
  it('takes a collection by name, by CID or by both', () => {
    const content = { from: 'file', fileName: 'cat.jpg' };
    expect(read({ collection_name: ' Photos ' }, file)).toEqual({
      collection: { folded: 'photos', cid: undefined },
      content,
    });
    expect(read({ collection_cid: cid.toUpperCase().replace('0X', '0x') }, file)).toEqual({
      collection: { folded: undefined, cid },
      content,
    });
    expect(read({ collection_name: 'Photos', collection_cid: cid }, file)).toEqual({
      collection: { folded: 'photos', cid },
      content,
    });
  });

  it.each([
    ['no identifier', {}, 'collection_name, collection_cid'],
    ['an empty name', { collection_name: '' }, 'collection_name'],
    ['a blank name beside a CID', { collection_name: '  ', collection_cid: cid }, 'collection_name'],
    ['a malformed CID', { collection_cid: '0x12' }, 'collection_cid'],
    ['the zero CID', { collection_cid: `0x${'0'.repeat(64)}` }, 'collection_cid'],
  ])('names the field of %s, before anything about the content', (_what, texts, field) => {
    expect(read(texts, {})).toMatchObject({ field });
  });

  it('requires exactly one of file and data', () => {
    for (const content of [{}, { ...file, ...data }])
      expect(read({ collection_name: 'A', file_name: 'x' }, content)).toMatchObject({ field: 'file, data' });
  });

  it('requires a valid file name with data', () => {
    expect(read({ collection_name: 'A' }, data)).toMatchObject({ field: 'file_name' });
    for (const name of ['', '../x', 'a\nb', '..', 'x'.repeat(256)])
      expect(read({ collection_name: 'A', file_name: name }, data)).toMatchObject({ field: 'file_name' });
    expect(read({ collection_name: 'A', file_name: 'x.txt' }, data)).toMatchObject({
      content: { from: 'data', fileName: 'x.txt' },
    });
  });

  it('refuses empty data and a file whose own name is no name; an empty file is a file', () => {
    expect(read({ collection_name: 'A', file_name: 'x' }, { data: { size: 0 } })).toMatchObject({ field: 'data' });
    expect(read({ collection_name: 'A' }, { file: { name: 'a/b' } })).toMatchObject({ field: 'file' });
  });

  it('ignores file_name with a file, whatever it holds', () => {
    expect(read({ collection_name: 'A', file_name: '../..' }, file)).toMatchObject({
      content: { fileName: 'cat.jpg' },
    });
  });
});
