import { invalid } from '../../errors/http-error.ts';
import type { FormPart } from '../forms/chunk-window.ts';
import { readMultipart } from '../forms/multipart.ts';
import type { ObjectList } from './object-list.ts';
import { readCsvRequest } from './read-csv.ts';
import { readJsonRequest } from './read-json.ts';
import type { RequestedCollection } from './requested-collection.ts';

const maxParts = 64;

/**
 * Reads the legacy form: multipart/form-data with a `.csv` or `.json` file in the field `file`, with the content of the
 * other two forms.
 * @throws HttpError 400, 413
 */
export async function* readUploadRequest(
  chunks: AsyncIterable<Buffer>,
  boundary: string,
  objects: ObjectList,
): AsyncGenerator<string, RequestedCollection, undefined> {
  let requested: RequestedCollection | undefined;
  for await (const part of readMultipart(chunks, boundary, maxParts)) {
    if (part.name !== 'file') throw invalid(part.name, 'unknown form field');
    if (requested !== undefined) throw invalid('file', 'given twice');
    requested = yield* readerOf(part)(part.body, objects);
  }
  if (requested === undefined) throw invalid('file', 'is required');
  return requested;
}

function readerOf({ fileName }: FormPart): typeof readCsvRequest {
  if (fileName === undefined) throw invalid('file', 'must be a file, with a file name');
  if (/\.csv$/i.test(fileName)) return readCsvRequest;
  if (/\.json$/i.test(fileName)) return readJsonRequest;
  throw invalid('file', 'its name must end in .csv or .json');
}
