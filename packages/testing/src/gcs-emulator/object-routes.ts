import { type Call, json, type Reply, type Route, type State } from './call.ts';
import { compareNames, etagOf, resourceOf, type StoredObject } from './objects.ts';
import {
  checkPreconditions,
  checkReadPreconditions,
  integer,
  PRECONDITIONS,
  SOURCE_PRECONDITIONS,
} from './preconditions.ts';
import { invalid, Refusal } from './refusal.ts';
import { parseJson, parseResource, textOf } from './requests.ts';

const OBJECT = '/storage/v1/b/([^/]+)/o/([^/]+)';
const COPYING = ['sourceGeneration', ...PRECONDITIONS, ...SOURCE_PRECONDITIONS];

/** Buckets and objects. A name within a path is percent-encoded, so it holds no slash. */
export const OBJECT_ROUTES: readonly Route[] = [
  { method: 'POST', path: /^\/storage\/v1\/b$/, parameters: [], answer: createBucket },
  {
    method: 'GET',
    path: /^\/storage\/v1\/b\/([^/]+)\/o$/,
    parameters: ['prefix', 'maxResults', 'pageToken', 'startOffset', 'endOffset'],
    answer: list,
  },
  {
    method: 'GET',
    path: new RegExp(`^(?:/download)?${OBJECT}$`),
    parameters: ['generation', ...PRECONDITIONS],
    answer: read,
  },
  {
    method: 'DELETE',
    path: new RegExp(`^${OBJECT}$`),
    parameters: ['generation', ...PRECONDITIONS],
    answer: remove,
  },
  {
    method: 'POST',
    path: new RegExp(`^${OBJECT}/rewriteTo/b/([^/]+)/o/([^/]+)$`),
    parameters: COPYING,
    answer: rewrite,
  },
  {
    method: 'POST',
    path: new RegExp(`^${OBJECT}/copyTo/b/([^/]+)/o/([^/]+)$`),
    parameters: COPYING,
    answer: (state, call) => json(copy(state, call)),
  },
];

function createBucket({ objects }: State, { body }: Call): Reply {
  const name = textOf(parseJson(body), 'name');
  if (name === undefined) throw new Refusal(400, 'required', 'Required parameter: name');
  objects.createBucket(name);
  return json({ kind: 'storage#bucket', id: name, name, storageClass: 'STANDARD', metageneration: '1' });
}

function list({ objects }: State, { names: [bucket = ''], query }: Call): Reply {
  const maxResults = Math.min(integer(query, 'maxResults') ?? 1_000, 1_000);
  if (maxResults === 0) throw invalid('Invalid value for maxResults');
  const [prefix, from, to] = [query.get('prefix') ?? '', query.get('startOffset'), query.get('endOffset')];
  const token = query.get('pageToken');
  const after = token === null ? undefined : Buffer.from(token, 'base64url').toString();
  const found = objects.list(bucket).filter(({ name }) => {
    if (!name.startsWith(prefix) || (after !== undefined && compareNames(name, after) <= 0)) return false;
    return (from === null || compareNames(name, from) >= 0) && (!to || compareNames(name, to) < 0);
  });
  const page = found.slice(0, maxResults);
  const last = found.length > page.length ? page.at(-1)?.name : undefined;
  return json({
    kind: 'storage#objects',
    ...(last === undefined ? {} : { nextPageToken: Buffer.from(last).toString('base64url') }),
    ...(page.length === 0 ? {} : { items: page.map(resourceOf) }),
  });
}

function read({ objects }: State, { names: [bucket = '', name = ''], query, headers }: Call): Reply {
  const object = objects.get(bucket, name, integer(query, 'generation'));
  checkReadPreconditions(query, object);
  return query.get('alt') === 'media' ? contentOf(object, headers.range) : json(resourceOf(object));
}

/** Returns one range alone; ignores an invalid range, as HTTP requires. */
function contentOf(object: StoredObject, range: string | undefined): Reply {
  const { content, contentType, crc32c, md5Hash } = object;
  const size = content.length;
  const headers = {
    ...{ 'content-type': contentType, etag: `"${etagOf(object)}"`, 'accept-ranges': 'bytes' },
    ...{ 'x-goog-hash': `crc32c=${crc32c},md5=${md5Hash}`, 'x-goog-generation': String(object.generation) },
    ...{ 'x-goog-metageneration': '1', 'x-goog-storage-class': 'STANDARD' },
    ...{ 'x-goog-stored-content-encoding': 'identity', 'x-goog-stored-content-length': String(size) },
  };
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range ?? '') ?? [];
  if (first === undefined || (first === '' && last === '')) return { status: 200, headers, body: content };
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size : Math.min(Number(last) + 1, size);
  if (first !== '' && last !== '' && Number(last) < start) return { status: 200, headers, body: content };
  if (start >= size)
    throw new Refusal(416, 'requestedRangeNotSatisfiable', 'Request range not satisfiable', {
      'content-range': `bytes */${size}`,
    });
  const part = { ...headers, 'content-range': `bytes ${start}-${end - 1}/${size}` };
  return { status: 206, headers: part, body: content.subarray(start, end) };
}

function remove({ objects }: State, { names: [bucket = '', name = ''], query }: Call): Reply {
  const object = objects.get(bucket, name, integer(query, 'generation'));
  checkPreconditions(query, object);
  objects.delete(object);
  return { status: 204 };
}

/** The resource of the copy. */
function copy({ objects }: State, call: Call): Record<string, unknown> {
  const [fromBucket = '', fromName = '', bucket = '', name = ''] = call.names;
  const source = objects.get(fromBucket, fromName, integer(call.query, 'sourceGeneration'));
  checkPreconditions(call.query, source, 'Source');
  const { described } = parseResource(call.body);
  const { contentType, metadata, content } = source;
  const place = { bucket, name, conditions: call.query };
  return resourceOf(objects.put(place, content, { contentType, metadata, ...described }));
}

/** In one step, as Google does within a bucket, so it never issues a token. */
function rewrite(state: State, call: Call): Reply {
  const resource = copy(state, call);
  const { size } = resource;
  return json({ kind: 'storage#rewriteResponse', totalBytesRewritten: size, objectSize: size, done: true, resource });
}
