import { HttpError } from '../../errors/http-error.ts';
import { readCsvRows } from './csv-rows.ts';
import type { ObjectList } from './object-list.ts';
import { type CsvRow, invalidLine } from './plain-rows.ts';
import {
  checkTimezone,
  type RequestedCollection,
  readCollectionName,
  readFileName,
  readUserAddress,
  requireSomething,
} from './requested-collection.ts';
import { requireUtf8Bytes } from './utf8.ts';

/**
 * Reads the CSV form of a collection verify request: an optional metadata section, the header, the objects. Yields the
 * objects' lines, returns the requested collection.
 * @throws HttpError 400 naming the line, 413
 */
export async function* readCsvRequest(
  chunks: AsyncIterable<Buffer>,
  objects: ObjectList,
): AsyncGenerator<string, RequestedCollection, undefined> {
  const reader = createRowReader(objects);
  for await (const rows of readCsvRows(requireUtf8Bytes(chunks))) {
    for (const row of rows) reader.take(row);
    const lines = objects.take();
    if (lines !== '') yield lines;
  }
  return requireSomething(reader.requested(), objects.count());
}

const metadataHeaders = ['collection_name,user_address', 'collection_name,user_address,collection_timezone'];
const objectHeaders = ['t,c,f', 't,c'];

/** What the next row is. */
type Next = 'first' | 'metadata' | 'header' | 'object';

function createRowReader(objects: ObjectList): { take(row: CsvRow): void; requested(): RequestedCollection } {
  let next: Next = 'first';
  let columns = 0;
  let requested: RequestedCollection = { name: null, owner: null };

  function take({ line, values }: CsvRow): void {
    switch (next) {
      case 'first':
        if (metadataHeaders.includes(values.join(','))) {
          next = 'metadata';
          columns = values.length;
          return;
        }
        takeHeader(line, values, [...metadataHeaders, ...objectHeaders]);
        return;
      case 'metadata':
        requireColumns(line, values, columns);
        requested = atLine(line, () => readMetadata(values));
        next = 'header';
        return;
      case 'header':
        takeHeader(line, values, objectHeaders);
        return;
      case 'object': {
        requireColumns(line, values, columns);
        const [timestamp = '', cid = '', fileName = ''] = values;
        readFileName(`line ${line}, f`, fileName);
        objects.add({ timestamp, cid }, (key) => `line ${line}, ${key}`);
      }
    }
  }

  function takeHeader(line: number, values: readonly string[], known: readonly string[]): void {
    if (!objectHeaders.includes(values.join(','))) throw invalidLine(line, `must be a header: ${known.join(' or ')}`);
    columns = values.length;
    next = 'object';
  }

  return {
    take,
    requested() {
      if (next !== 'object') throw new HttpError(400, 'the CSV ends without its header', { details: 't,c,f or t,c' });
      return requested;
    },
  };
}

/** An empty value counts as missing. */
function readMetadata([name = '', address = '', timezone = '']: readonly string[]): RequestedCollection {
  if (timezone !== '') checkTimezone(timezone);
  return {
    name: name === '' ? null : readCollectionName(name),
    owner: address === '' ? null : readUserAddress(address),
  };
}

function atLine<T>(line: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof HttpError) throw new HttpError(error.status, error.message, { details: `line ${line}` });
    throw error;
  }
}

function requireColumns(line: number, values: readonly string[], columns: number): void {
  if (values.length !== columns) throw invalidLine(line, `has ${values.length} columns, not ${columns}`);
}
