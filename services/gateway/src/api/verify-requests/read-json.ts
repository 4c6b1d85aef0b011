import type { CollectionName, Hex } from '@indelible/identifiers';
import { HttpError, invalid } from '../../errors/http-error.ts';
import type { JsonVisitor, Scalar } from '../../json/json-scan.ts';
import { createStrictWalk } from '../../json/strict-json.ts';
import type { ObjectList } from './object-list.ts';
import {
  type RequestedCollection,
  readCollectionName,
  readFileName,
  readUserAddress,
  requireSomething,
} from './requested-collection.ts';
import { requireUtf8Bytes, skipByteOrderMark } from './utf8.ts';

/** Open containers; what this API takes nests far less. */
const maxDepth = 64;
/** Total characters of keys and values in `context`, plus one for each. */
const maxContext = 2 ** 20;

/**
 * Reads the JSON form of a collection verify request, with an optional byte order mark: yields the objects' lines,
 * returns the requested collection.
 * @throws HttpError 400 naming the key, 413
 */
export async function* readJsonRequest(
  chunks: AsyncIterable<Buffer>,
  objects: ObjectList,
): AsyncGenerator<string, RequestedCollection, undefined> {
  const request = createRequestVisitor(objects);
  const walk = createStrictWalk(request.visitor, maxDepth);
  for await (const chunk of skipByteOrderMark(requireUtf8Bytes(chunks))) {
    walk.write(chunk);
    const lines = objects.take();
    if (lines !== '') yield lines;
  }
  walk.end();
  return requireSomething(request.requested(), objects.count());
}

/** Containers that are open around a value: none, the request, its `objects`; any more is one of them. */
const [outside, inRequest, inObjects] = [0, 1, 2];

function createRequestVisitor(objects: ObjectList): {
  readonly visitor: JsonVisitor;
  readonly requested: () => RequestedCollection;
} {
  let depth = outside;
  let requestKey = '';
  let objectKey = '';
  let hasObjects = false;
  let name: CollectionName | null = null;
  let owner: Hex | null = null;
  let object: { cid?: string; timestamp?: string } = {};
  let contextSpent = 0;

  const inContext = (): boolean => depth > inRequest && requestKey === 'context';
  const spendContext = (size: number): void => {
    contextSpent += size + 1;
    if (contextSpent > maxContext) throw new HttpError(413, 'the request is too large', { details: 'context' });
  };
  const place = (): string => `objects[${objects.count()}]`;
  const where = (key: string): string => `${place()}.${key}`;

  const visitor: JsonVisitor = {
    open(container) {
      if (inContext()) spendContext(0);
      else if (depth === outside) requireContainer(container, 'object', 'body');
      else if (depth === inRequest) openValueOf(requestKey, container);
      else if (depth === inObjects) {
        requireContainer(container, 'object', place());
        object = {};
      } else throw invalid(where(objectKey), 'must be text');
      depth++;
    },
    close() {
      depth--;
      if (depth !== inObjects || inContext()) return;
      const { cid, timestamp } = object;
      if (cid === undefined) throw invalid(where('cid'), 'is required');
      if (timestamp === undefined) throw invalid(where('timestamp'), 'is required');
      objects.add({ cid, timestamp }, where);
    },
    key(key) {
      if (inContext()) spendContext(key.length);
      else if (depth === inRequest) {
        if (!requestKeys.has(key)) throw invalid(key, 'unknown key');
        requestKey = key;
      } else {
        if (!objectKeys.has(key)) throw invalid(where(key.slice(0, 100)), 'unknown key');
        objectKey = key;
      }
    },
    scalar(value) {
      if (inContext()) spendContext(typeof value === 'string' ? value.length : 0);
      else if (depth === outside) throw invalid('body', 'must be an object');
      else if (depth === inRequest) requestValue(requestKey, value);
      else if (depth === inObjects) throw invalid(place(), 'must be an object');
      else objectValue(objectKey, value);
    },
  };

  function openValueOf(key: string, container: 'object' | 'array'): void {
    if (key === 'objects') {
      requireContainer(container, 'array', key);
      hasObjects = true;
    } else if (key === 'context') requireContainer(container, 'object', key);
    else throw invalid(key, 'must be text or null');
  }

  function requestValue(key: string, value: Scalar): void {
    if (key === 'objects') throw invalid(key, 'must be an array');
    if (value === null) return;
    if (key === 'context') throw invalid(key, 'must be an object or null');
    if (typeof value !== 'string') throw invalid(key, 'must be text or null');
    if (key === 'collection_name') name = readCollectionName(value);
    else if (key === 'user_address') owner = readUserAddress(value);
    else if (key === 'file_name') readFileName(key, value);
  }

  function objectValue(key: string, value: Scalar): void {
    if (typeof value === 'string') {
      if (key === 'cid' || key === 'timestamp') object[key] = value;
      else readFileName(where(key), value);
    } else if (key !== 'file_name') throw invalid(where(key), 'must be text');
    else if (value !== null) throw invalid(where(key), 'must be text or null');
  }

  return {
    visitor,
    requested() {
      if (!hasObjects) throw invalid('objects', 'is required');
      return { name, owner };
    },
  };
}

const requestKeys: ReadonlySet<string> = new Set([
  'collection_name',
  'user_address',
  'context',
  'file_name',
  'objects',
]);
const objectKeys: ReadonlySet<string> = new Set(['cid', 'timestamp', 'file_name']);

function requireContainer(found: 'object' | 'array', wanted: 'object' | 'array', name: string): void {
  if (found !== wanted) throw invalid(name, `must be an ${wanted}`);
}
