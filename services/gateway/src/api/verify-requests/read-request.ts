import type { Call } from '../edge/call.ts';
import { boundaryOf } from '../forms/read-form.ts';
import type { ObjectList } from './object-list.ts';
import { readCsvRequest } from './read-csv.ts';
import { readJsonRequest } from './read-json.ts';
import { readUploadRequest } from './read-upload.ts';
import type { RequestedCollection } from './requested-collection.ts';

/** Allowance for boundaries and part headers besides the content. */
const framingBytes = 2 ** 20;

/**
 * Reads a collection verify request of any of its three types as it arrives: yields the objects' lines, returns
 * the requested collection.
 * @throws HttpError 400, 408, 413; ClientGoneError
 */
export function readRequest(
  { contentType, body }: Pick<Call, 'contentType' | 'body'>,
  objects: ObjectList,
  maxBytes: number,
): AsyncGenerator<string, RequestedCollection, undefined> {
  switch (contentType?.type) {
    case 'text/csv':
      return readCsvRequest(body(maxBytes), objects);
    case 'multipart/form-data':
      return readUploadRequest(body(maxBytes + framingBytes), boundaryOf(contentType), objects);
    default:
      return readJsonRequest(body(maxBytes), objects);
  }
}
