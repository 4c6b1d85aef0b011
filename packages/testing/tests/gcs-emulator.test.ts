import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type TestGcs, testGcsEmulator } from '../src/index.ts';

const QUARTER = 256 * 1024;
let gcs: TestGcs;
let bucket: string;
beforeAll(async () => {
  gcs = await testGcsEmulator();
});
afterAll(() => gcs?.stop());
beforeEach(async () => {
  bucket = await gcs.createBucket();
});

type Options = { readonly headers?: Record<string, string>; readonly body?: string | Buffer };
type Answer = { status: number; headers: Headers; text: string; json: Record<string, unknown> };

async function ask(method: string, address: string, { headers = {}, body }: Options = {}): Promise<Answer> {
  const response = await fetch(new URL(address, gcs.apiEndpoint), {
    method,
    headers,
    ...(body === undefined ? {} : { body: new Uint8Array(Buffer.from(body)) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: response.status, headers: response.headers, text, json: isJson && text ? JSON.parse(text) : {} };
}
const object = (name: string): string => `/storage/v1/b/${bucket}/o/${encodeURIComponent(name)}`;
const put = (name: string, body: string, query = '', headers: Record<string, string> = {}): Promise<Answer> =>
  ask('POST', `/upload/storage/v1/b/${bucket}/o?uploadType=media&name=${encodeURIComponent(name)}${query}`, {
    headers,
    body,
  });
const begin = async (name: string, query = '', options: Options = {}): Promise<string> => {
  const started = await ask(
    'POST',
    `/upload/storage/v1/b/${bucket}/o?uploadType=resumable&name=${name}${query}`,
    options,
  );
  expect(started.status).toBe(200);
  return started.headers.get('location') ?? '';
};
const send = (session: string, range: string, body: string | Buffer = '', headers = {}): Promise<Answer> =>
  ask('PUT', session, { headers: { 'content-range': range, ...headers }, body });

describe('a resumable upload', () => {
  it('says after each request what it has, takes what is missing, and shows the object when it is whole', async () => {
    const content = Buffer.alloc(2 * QUARTER + 5, 'content');
    const session = await begin('one', '', { body: '{"contentType":"text/plain","metadata":{"writer":"me"}}' });
    const fresh = await send(session, 'bytes */*');
    expect([fresh.status, fresh.headers.get('range')]).toEqual([308, null]);
    const first = await send(session, `bytes 0-${QUARTER - 1}/*`, content.subarray(0, QUARTER));
    expect([first.status, first.headers.get('range')]).toEqual([308, `bytes=0-${QUARTER - 1}`]);
    expect((await send(session, 'bytes */*')).headers.get('range')).toBe(`bytes=0-${QUARTER - 1}`);
    expect((await ask('GET', object('one'))).status).toBe(404);
    // A request whose answer was lost is sent again: what is there already is passed over.
    const again = await send(session, `bytes 0-${2 * QUARTER - 1}/*`, content.subarray(0, 2 * QUARTER));
    expect(again.headers.get('range')).toBe(`bytes=0-${2 * QUARTER - 1}`);
    const whole = await send(
      session,
      `bytes ${2 * QUARTER}-${2 * QUARTER + 4}/${content.length}`,
      content.subarray(-5),
    );
    const expected = { size: String(content.length), contentType: 'text/plain', metadata: { writer: 'me' } };
    expect([whole.status, whole.json]).toEqual([200, expect.objectContaining(expected)]);
    expect(await send(session, 'bytes */*')).toMatchObject({ status: 200, json: whole.json });
    expect((await ask('GET', `${object('one')}?alt=media`)).text).toBe(content.toString());
  });

  it('may end by a request without content, and may come in one request', async () => {
    const session = await begin('one');
    await send(session, `bytes 0-${QUARTER - 1}/*`, Buffer.alloc(QUARTER));
    expect(await send(session, `bytes */${QUARTER}`)).toMatchObject({ status: 200, json: { size: String(QUARTER) } });
    const other = await ask('PUT', await begin('two'), { body: 'content' });
    expect(other).toMatchObject({ status: 200, json: { size: '7' } });
  });

  it.each([
    ['leaves bytes out', 'bytes 5-11/12', 'content'],
    ['is no multiple of 256 KiB and not the last', 'bytes 0-6/*', 'content'],
    ['is shorter than it says', 'bytes 0-9/10', 'content'],
    ['is longer than the whole', 'bytes 0-6/5', 'content'],
    ['has content and no range', 'bytes */7', 'content'],
    ['has another length than announced', 'bytes 0-6/7', 'content'],
    ['has no range at all', 'bytes seven', 'content'],
  ])('refuses a request that %s, and goes on', async (name, range, content) => {
    const announced: Record<string, string> = name.endsWith('announced') ? { 'x-upload-content-length': '8' } : {};
    const session = await begin('one', '', { headers: announced });
    expect((await send(session, range, content)).status).toBe(400);
    expect((await ask('GET', object('one'))).status).toBe(404);
    expect((await send(session, 'bytes 0-7/8', 'content!')).status).toBe(200);
  });

  it('shows nothing whose checksum is not what the client claims', async () => {
    const session = await begin('one');
    const refused = await send(session, 'bytes 0-6/7', 'content', { 'x-goog-hash': 'crc32c=AAAAAA==' });
    expect(refused).toMatchObject({ status: 400, json: { error: { errors: [{ reason: 'invalid' }] } } });
    expect((await ask('GET', object('one'))).status).toBe(404);
    expect((await put('one', 'content', '', { 'x-goog-hash': 'md5=AAAA' })).status).toBe(400);
    expect((await put('one', '123456789', '', { 'x-goog-hash': 'crc32c=4waSgw==' })).status).toBe(200);
  });

  it('leaves what another put under its name meanwhile, and begins none at a name that is taken (I7)', async () => {
    const session = await begin('one', '&ifGenerationMatch=0');
    await put('one', 'another');
    expect((await send(session, 'bytes 0-6/7', 'content')).status).toBe(412);
    expect((await ask('GET', `${object('one')}?alt=media`)).text).toBe('another');
    const late = `/upload/storage/v1/b/${bucket}/o?uploadType=resumable&name=one&ifGenerationMatch=0`;
    expect((await ask('POST', late)).status).toBe(412);
  });

  it('can be given up, which is a 499, and is gone then', async () => {
    const session = await begin('one');
    expect((await ask('DELETE', session)).status).toBe(499);
    expect((await send(session, 'bytes 0-6/7', 'content')).status).toBe(404);
  });
});

describe('an object', () => {
  it('is another generation after each writing, by which it can be named', async () => {
    const [one, two] = [await put('a/b', 'one'), await put('a/b', 'two')];
    const [first, second] = [one, two].map(({ json }) => Number(json.generation)) as [number, number];
    expect(second).toBeGreaterThan(first);
    expect((await ask('GET', `${object('a/b')}?generation=${first}`)).status).toBe(404);
    expect((await ask('DELETE', `${object('a/b')}?ifGenerationMatch=${first}`)).status).toBe(412);
    expect((await ask('GET', `${object('a/b')}?ifGenerationNotMatch=${second}`)).status).toBe(304);
    expect((await ask('DELETE', `${object('a/b')}?ifGenerationMatch=${second}`)).status).toBe(204);
    expect((await ask('DELETE', object('a/b'))).status).toBe(404);
  });

  it('is downloaded whole or in part, with its checksums', async () => {
    await put('one', '123456789');
    const part = async (range?: string) => {
      const answer = await ask('GET', `${object('one')}?alt=media`, { headers: range ? { range } : {} });
      return [answer.status, answer.status === 416 ? '' : answer.text, answer.headers.get('content-range')];
    };
    expect(await part()).toEqual([200, '123456789', null]);
    expect(await part('bytes=2-4')).toEqual([206, '345', 'bytes 2-4/9']);
    expect(await part('bytes=7-')).toEqual([206, '89', 'bytes 7-8/9']);
    expect(await part('bytes=7-100')).toEqual([206, '89', 'bytes 7-8/9']);
    expect(await part('bytes=-2')).toEqual([206, '89', 'bytes 7-8/9']);
    expect(await part('bytes=9-')).toEqual([416, '', 'bytes */9']);
    expect(await part('lines=1-2')).toEqual([200, '123456789', null]);
    const { headers } = await ask('GET', `${object('one')}?alt=media`);
    expect(headers.get('x-goog-hash')).toBe('crc32c=4waSgw==,md5=JfnnlDI7RTiF9RgfG2JNCw==');
  });

  it('is copied with what was said of it, if its source and the new name are as demanded', async () => {
    const session = await begin('one', '', { body: '{"contentType":"text/plain","metadata":{"writer":"me"}}' });
    const { json: source } = await send(session, 'bytes 0-6/7', 'content');
    const copy = (how: string, query: string) => ask('POST', `${object('one')}/${how}/b/${bucket}/o/two%2Fb?${query}`);
    expect((await copy('rewriteTo', 'ifSourceGenerationMatch=1')).status).toBe(412);
    const done = await copy('rewriteTo', `ifSourceGenerationMatch=${source.generation}&ifGenerationMatch=0`);
    const { contentType, metadata, crc32c, size } = source;
    expect(done.json).toMatchObject({ done: true, objectSize: '7', totalBytesRewritten: '7' });
    expect(done.json.resource).toMatchObject({ name: 'two/b', contentType, metadata, crc32c, size });
    expect((await copy('copyTo', 'ifGenerationMatch=0')).status).toBe(412);
    expect((await copy('copyTo', '')).json).toMatchObject({ name: 'two/b', size });
  });
});

describe('a list', () => {
  it('is in the order of the bytes of its names, in pages, within its bounds', async () => {
    const names = ['a/1', 'a/2', 'a/ä', 'a/\u{ffee}', 'a/😀', 'b'];
    for (const name of names.toReversed()) await put(name, name);
    const list = async (query: string): Promise<{ names: string[]; next: string | undefined }> => {
      const { json } = await ask('GET', `/storage/v1/b/${bucket}/o?${query}`);
      const items = (json.items ?? []) as { name: string }[];
      return { names: items.map(({ name }) => name), next: json.nextPageToken as string | undefined };
    };
    expect(await list('')).toEqual({ names, next: undefined });
    const first = await list('prefix=a/&maxResults=3');
    expect(first.names).toEqual(names.slice(0, 3));
    const rest = await list(`prefix=a/&maxResults=3&pageToken=${first.next}`);
    expect(rest).toEqual({ names: names.slice(3, 5), next: undefined });
    expect((await list('startOffset=a/2&endOffset=b')).names).toEqual(names.slice(1, 5));
    expect((await list('prefix=none')).names).toEqual([]);
  });
});

describe('a request that fails', () => {
  it('is answered in the form of Google', async () => {
    const missing = await ask('GET', object('none'));
    const message = `No such object: ${bucket}/none`;
    expect([missing.status, missing.json]).toEqual([
      404,
      { error: { code: 404, message, errors: [{ message, domain: 'global', reason: 'notFound' }] } },
    ]);
    await put('one', 'content');
    expect(await put('one', 'other', '&ifGenerationMatch=0')).toMatchObject({
      status: 412,
      json: { error: { code: 412, errors: [{ reason: 'conditionNotMet' }] } },
    });
  });

  it.each([
    ['a bucket that is not there', 'GET', '/storage/v1/b/none/o', 404],
    ['an upload to a bucket that is not there', 'POST', '/upload/storage/v1/b/none/o?uploadType=media&name=x', 404],
    ['an upload without a name', 'POST', '/upload/storage/v1/b/BUCKET/o?uploadType=media', 400],
    ['a name that Google refuses', 'POST', '/upload/storage/v1/b/BUCKET/o?uploadType=media&name=..', 400],
    ['a name that is too long', 'POST', `/upload/storage/v1/b/BUCKET/o?uploadType=media&name=${'ä'.repeat(513)}`, 400],
    ['no upload type', 'POST', '/upload/storage/v1/b/BUCKET/o?name=x', 400],
    ['a generation that is no number', 'GET', '/storage/v1/b/BUCKET/o/x?generation=y', 400],
    ['a broken encoding', 'GET', '/storage/v1/b/BUCKET/o/%zz', 400],
    ['what is not emulated: a parameter', 'GET', '/storage/v1/b/BUCKET/o?delimiter=%2F', 501],
    ['what is not emulated: a method', 'PATCH', '/storage/v1/b/BUCKET/o/x', 404],
  ])('says so: %s', async (_name, method, address, status) => {
    const answer = await ask(method, address.replace('BUCKET', bucket));
    expect([answer.status, (answer.json.error as { code?: number })?.code]).toEqual([status, status]);
  });
});
