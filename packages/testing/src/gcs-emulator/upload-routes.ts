import { type Call, json, type Reply, type Route, type State } from './call.ts';
import { claimedBy } from './checksums.ts';
import { checkName, resourceOf } from './objects.ts';
import { checkPreconditions, PRECONDITIONS } from './preconditions.ts';
import { invalid, Refusal } from './refusal.ts';
import { type Claims, parseRelated, parseResource } from './requests.ts';

const UPLOADS = /^\/upload\/storage\/v1\/b\/([^/]+)\/o$/;
const SESSION = ['uploadType', 'name', 'upload_id'];
const DEFAULT_TYPE = 'application/octet-stream';

/** Uploads in one request (`media`, `multipart`) and in several (`resumable`). */
export const UPLOAD_ROUTES: readonly Route[] = [
  { method: 'POST', path: UPLOADS, parameters: ['uploadType', 'name', ...PRECONDITIONS], answer: upload },
  { method: 'PUT', path: UPLOADS, parameters: SESSION, answer: resume },
  { method: 'DELETE', path: UPLOADS, parameters: SESSION, answer: cancel },
];

function upload(state: State, call: Call): Reply {
  const type = call.query.get('uploadType');
  if (type === 'resumable') return begin(state, call);
  if (type !== 'media' && type !== 'multipart') throw invalid('Invalid value for uploadType');
  const header = call.headers['content-type'];
  const { claims, contentType, content } =
    type === 'media' ? { claims: undefined, contentType: header, content: call.body } : related(header, call.body);
  const description = { contentType: contentType ?? DEFAULT_TYPE, metadata: undefined, ...claims?.described };
  const hashes = [claims?.checksums ?? {}, claimedBy(call.headers['x-goog-hash'])];
  return json(resourceOf(state.objects.put(placeOf(call, claims), content, description, ...hashes)));
}

function related(header: string | undefined, body: Buffer): { claims: Claims; contentType?: string; content: Buffer } {
  const { resource, ...media } = parseRelated(header ?? '', body);
  return { claims: parseResource(resource), ...media };
}

/** The name is in the query, or in the object's resource. */
function placeOf(call: Call, claims?: Claims): { bucket: string; name: string; conditions: URLSearchParams } {
  const name = call.query.get('name') ?? claims?.name;
  if (name === undefined) throw new Refusal(400, 'required', 'Required parameter: name');
  return { bucket: call.names[0] ?? '', name, conditions: call.query };
}

/** Conditions are checked here, so that no content is sent in vain, and again when the object is created. */
function begin({ objects, uploads }: State, call: Call): Reply {
  const claims = parseResource(call.body);
  const place = placeOf(call, claims);
  checkName(place.name);
  checkPreconditions(place.conditions, objects.find(place.bucket, place.name));
  const announced = call.headers['x-upload-content-length'];
  if (announced !== undefined && !/^\d{1,15}$/.test(announced)) throw invalid('Invalid X-Upload-Content-Length');
  const id = uploads.begin({
    ...place,
    claims,
    contentType: call.headers['x-upload-content-type'] ?? DEFAULT_TYPE,
    length: announced === undefined ? undefined : Number(announced),
  });
  const address = new URL(`${call.origin}/upload/storage/v1/b/${place.bucket}/o`);
  address.search = new URLSearchParams({ uploadType: 'resumable', name: place.name, upload_id: id }).toString();
  return { status: 200, headers: { location: address.href, 'x-guploader-uploadid': id } };
}

function resume({ uploads }: State, { names: [bucket = ''], query, headers, body }: Call): Reply {
  const progress = uploads.send(query.get('upload_id') ?? '', bucket, body, {
    range: headers['content-range'],
    hash: headers['x-goog-hash'],
  });
  if ('stored' in progress) return json(progress.stored);
  // No Range without a byte: it cannot express that.
  const range = progress.received === 0 ? {} : { range: `bytes=0-${progress.received - 1}` };
  return { status: 308, headers: range };
}

/** 499 is Google's status for a cancelled upload. */
function cancel({ uploads }: State, { names: [bucket = ''], query }: Call): Reply {
  uploads.cancel(query.get('upload_id') ?? '', bucket);
  return { status: 499 };
}
