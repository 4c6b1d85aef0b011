import { type Hex, parseCollectionName } from '@indelible/identifiers';
import { type FieldFault, isFault } from './field-values.ts';
import { faultOfFileName } from './file-name.ts';
import { readCid } from './read-stamp-form.ts';

/** The form of an upload as received: texts by field name, and its content. */
export type UploadFormInput = {
  readonly texts: ReadonlyMap<string, string>;
  readonly data: { readonly size: number } | undefined;
  readonly file: { readonly name: string } | undefined;
};

export type UploadForm = {
  /** At least one of the two; with both, the named collection must have the CID. */
  readonly collection: { readonly folded: string | undefined; readonly cid: Hex | undefined };
  readonly content: { readonly from: 'file' | 'data'; readonly fileName: string };
};

/** Reads the form in the specification's order, by the rules that need only the request itself. */
export function readUploadForm(input: UploadFormInput): UploadForm | FieldFault {
  const collection = identifiers(input.texts);
  if (isFault(collection)) return collection;
  const content = onlyContent(input);
  return isFault(content) ? content : { collection, content };
}

function identifiers(texts: ReadonlyMap<string, string>): UploadForm['collection'] | FieldFault {
  const name = texts.get('collection_name');
  const given = texts.get('collection_cid');
  if (name === undefined && given === undefined)
    return {
      field: 'collection_name, collection_cid',
      fault: 'at least one of collection_name and collection_cid must be provided',
    };
  const read = name === undefined ? undefined : parseCollectionName(name);
  if (read !== undefined && 'fault' in read) return { field: 'collection_name', fault: read.fault };
  const cid = given === undefined ? undefined : readCid('collection_cid', given);
  return typeof cid === 'object' ? cid : { folded: read?.folded, cid };
}

/** With a file, file_name is ignored, even if invalid. */
function onlyContent({ texts, data, file }: UploadFormInput): UploadForm['content'] | FieldFault {
  if ((file === undefined) === (data === undefined))
    return { field: 'file, data', fault: 'exactly one of file and data must be provided' };
  if (file !== undefined) {
    const fault = faultOfFileName(file.name);
    return fault === undefined ? { from: 'file', fileName: file.name } : { field: 'file', fault: `file name ${fault}` };
  }
  if (data?.size === 0) return { field: 'data', fault: 'must not be empty' };
  const fileName = texts.get('file_name');
  if (fileName === undefined) return { field: 'file_name', fault: 'must be provided when data is given' };
  const fault = faultOfFileName(fileName);
  return fault === undefined ? { from: 'data', fileName } : { field: 'file_name', fault };
}
