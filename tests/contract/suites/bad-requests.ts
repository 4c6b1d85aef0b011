import { gzipSync } from 'node:zlib';
import { eventually } from '@indelible/testing';
import { describe, expect, it } from '@jest/globals';
import sha3 from 'js-sha3';
import type { Api } from '../support/api.ts';
import { type ContractStack, limits } from '../support/contract-stack.ts';
import { boundary, field, file, multipart, multipartType } from '../support/multipart.ts';
import { bytesOf, sendAndReset } from '../support/raw-http.ts';
import { expectRefusal } from '../support/refusal.ts';

const cid = `0x${sha3.sha3_256('bad request')}`;
const json = 'Content-Type: application/json';
const urlencoded = 'Content-Type: application/x-www-form-urlencoded';
const form = `data_cid=${cid}`;
const asked = JSON.stringify({ cids: [cid] });

/** The list of bad input, for what lies around the body: never a 5xx, a hang or a leak. */
export function badRequests(stack: () => ContractStack, ada: () => Api): void {
  describe('content types and encodings', () => {
    it.each<[string, string, readonly string[], string | Buffer, number, string]>([
      ['none for a form', '/stamps', [], form, 415, 'multipart/form-data'],
      ['an empty one for a form', '/stamps', ['Content-Type:'], form, 415, 'multipart/form-data'],
      ['JSON for a form', '/stamps', [json], '{}', 415, 'multipart/form-data'],
      ['text for a form', '/stamps', ['Content-Type: text/plain'], form, 415, 'multipart/form-data'],
      ['a broken one', '/stamps', ['Content-Type: nonsense'], form, 415, 'multipart/form-data'],
      ['multipart/mixed', '/stamps', ['Content-Type: multipart/mixed; boundary=x'], form, 415, 'multipart/form-data'],
      ['no boundary', '/stamps', ['Content-Type: multipart/form-data'], form, 400, 'boundary'],
      ['an empty boundary', '/stamps', ['Content-Type: multipart/form-data; boundary=""'], form, 400, 'boundary'],
      [
        'a boundary of 71',
        '/stamps',
        [`Content-Type: multipart/form-data; boundary=${'b'.repeat(71)}`],
        form,
        400,
        'boundary',
      ],
      ['a form for JSON', '/stamps/verify', [urlencoded], form, 415, 'application/json'],
      ['none for JSON', '/stamps/verify', [], asked, 415, 'application/json'],
      ['none for a collection', '/collections', [], '{}', 415, 'application/json'],
      ['UTF-16 for JSON', '/stamps/verify', [`${json}; charset=utf-16`], asked, 400, 'charset'],
      ['latin1 for JSON', '/collections', [`${json}; charset=iso-8859-1`], '{}', 400, 'charset'],
      ['UTF-7 for a form', '/stamps', [`${urlencoded}; charset=utf-7`], form, 400, 'charset'],
      ['gzip for a form', '/stamps', [urlencoded, 'Content-Encoding: gzip'], gzipSync(form), 415, 'identity'],
      [
        'gzip for multipart',
        '/stamps',
        [multipartType, 'Content-Encoding: gzip'],
        gzipSync(multipart([field('data_cid', cid)])),
        415,
        'identity',
      ],
      ['deflate for JSON', '/stamps/verify', [json, 'Content-Encoding: deflate'], asked, 415, 'identity'],
      ['br for JSON', '/collections', [json, 'Content-Encoding: br'], '{}', 415, 'identity'],
      ['identity and gzip', '/stamps/verify', [json, 'Content-Encoding: identity, gzip'], asked, 415, 'identity'],
    ])('%s at %s is refused', async (_what, path, headers, body, status, named) => {
      expectRefusal(await ada().send({ path, headers, body }), status, named);
    });

    it.each([
      ['charset=UTF-8', `${json}; charset=UTF-8`],
      ['charset="utf-8"', `${json};charset="utf-8"`],
      ['other letter case', 'Content-Type: Application/JSON'],
    ])('%s is fine', async (_what, header) => {
      expect((await ada().send({ path: '/stamps/verify', headers: [header], body: asked })).status).toBe(200);
      const identity = [header, 'Content-Encoding: identity'];
      expect((await ada().send({ path: '/stamps/verify', headers: identity, body: asked })).status).toBe(200);
    });
  });

  describe('paths and methods', () => {
    it.each([
      ['GET', '/api/v1/nothing'],
      ['GET', '/api/v1'],
      ['GET', '/api/v2/users/me'],
      ['GET', '/api/v1/users/me/more'],
      ['GET', '/api/v1//users/me'],
      ['POST', '/api/v1/__proto__'],
      ['POST', '/api/v1/constructor'],
      ['GET', '/api/v1/../../etc/passwd'],
      ['GET', '/health/ready'],
      ['GET', '/metrics'],
      ['GET', '/internal/commitments/lookup'],
    ])('%s %s is a 404 in JSON', async (method, path) => {
      expectRefusal(await ada().sendBare({ method, path, headers: [ada().authorization] }), 404, 'path');
    });

    it.each(['http://contract.test/api/v1/users/me', 'HTTP://contract.test:80/api/v1/users/me/?'])(
      'a target in absolute form (%s), as proxies write it, is the same resource',
      async (target) => {
        const answer = await ada().sendBare({ method: 'GET', path: target, headers: [ada().authorization] });
        expect(answer.status).toBe(200);
      },
    );

    it.each([
      ['DELETE', '/stamps', 'POST'],
      ['GET', '/stamps', 'POST'],
      ['HEAD', '/stamps', 'POST'],
      ['PUT', '/collections', 'GET, HEAD, POST'],
      ['PATCH', '/collections', 'GET, HEAD, POST'],
      ['GET', '/stamps/verify', 'POST'],
      ['POST', '/users/me', 'GET, HEAD'],
      ['POST', '/stamps/0b0e7d3e-6b0a-4b7e-9c55-3b1d3a7b2f11', 'GET, HEAD'],
      ['TRACE', '/users/me', 'GET, HEAD'],
    ])('%s %s is a 405 with Allow: %s', async (method, path, allow) => {
      const answer = await ada().send({ method, path });
      expect(answer.headers.allow?.split(/, */).sort()).toEqual(allow.split(', ').sort());
      if (method === 'HEAD') expect(answer).toMatchObject({ status: 405, text: '' });
      else expectRefusal(answer, 405, 'method');
    });

    it('HEAD works where GET does, without a body', async () => {
      for (const path of ['/users/me', '/collections', '/collections/?is_pinned=1'])
        expect(await ada().send({ method: 'HEAD', path })).toMatchObject({ status: 200, text: '' });
    });

    it('a trailing slash counts for nothing', async () => {
      for (const path of ['/users/me/', '/collections/', '/collections/?is_pinned=false'])
        expect((await ada().get(path)).status).toBe(200);
      expect((await ada().postJson('/stamps/verify/', { cids: [cid] })).status).toBe(200);
    });

    it.each(['/stamps/%', '/stamps/%zz', '/stamps/%ff%fe', '/%c0%ae/users/me', '/users/%ed%a0%80'])(
      'a malformed percent encoding (%s) is a 400 that names the path',
      async (path) => {
        expectRefusal(await ada().get(path), 400, 'path');
      },
    );

    it.each([
      ...['nonsense', '1', '%00', '..%2f..%2fetc', "'%20or%201=1--", 'x'.repeat(40)],
      'urn:uuid:0198f2c4-7b1e-4c3a-9d52-6e0f8a1b2c3d',
    ])('an id that is none (%s) is a 404', async (id) => {
      expectRefusal(await ada().get(`/stamps/${id}`), 404, 'stamp not found');
    });
  });

  describe('queries', () => {
    it.each([
      ['an unknown parameter', '/collections?colour=red', 'colour'],
      ['an unknown parameter of no operation with any', '/users/me?x=1', 'x'],
      ['a parameter twice', '/collections?is_pinned=true&is_pinned=true', 'is_pinned'],
      ['a parameter in brackets', '/collections?is_pinned[]=true', 'is_pinned'],
      ['__proto__', '/collections?__proto__=1', '__proto__'],
      ['constructor[prototype]', '/collections?constructor[prototype]=1', 'constructor'],
      ['a broken escape', '/collections?is_pinned=%f', 'is_pinned'],
      ['bytes that are no UTF-8', '/collections?is_pinned=%ff', 'is_pinned'],
      ['an empty boolean', '/collections?is_pinned=', 'is_pinned'],
      ['a boolean without a value', '/collections?is_pinned', 'is_pinned'],
      ['another boolean', '/collections?is_pinned=yes', 'is_pinned'],
      ['an empty address', '/collections?user_address=', 'user_address'],
      ['a short address', '/collections?user_address=0x12', 'user_address'],
      [
        'an address with a wrong checksum',
        '/collections?user_address=0xfB6916095CA1df60bb79CE92CE3EA74C37C5D359',
        'user_address',
      ],
      ['a key', '/users/me?api_key=ind_x', 'api_key'],
    ])('%s is a 400 that names it', async (_what, path, named) => {
      expectRefusal(await ada().get(path), 400, named);
    });

    it('beside a body are strict as well', async () => {
      expectRefusal(await ada().postJson('/stamps/verify?x=1', { cids: [cid] }), 400, 'x');
      expectRefusal(
        await ada().send({ path: '/stamps?data_cid=1', headers: [urlencoded], body: form }),
        400,
        'data_cid',
      );
    });
  });

  describe('what the HTTP parser refuses', () => {
    const head = (lines: string): Buffer =>
      Buffer.from(
        `POST /api/v1/stamps HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${ada().authorization}\r\n${urlencoded}\r\n${lines}\r\n`,
      );
    it.each<[string, () => Buffer, number]>([
      ['Content-Length against chunked', () => head('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n'), 400],
      ['two Content-Lengths that disagree', () => head('Content-Length: 5\r\nContent-Length: 6\r\n'), 400],
      ['a negative Content-Length', () => head('Content-Length: -1\r\n'), 400],
      ['a Content-Length that is none', () => head('Content-Length: five\r\n'), 400],
      [
        'a transfer encoding that ends in another than chunked',
        () => head('Transfer-Encoding: chunked, gzip\r\n'),
        400,
      ],
      ['a header with a NUL', () => head('X-Nul: a\0b\r\n'), 400],
      ['a folded header', () => head('X-A: b\r\n c\r\n\0'), 400],
      ['a header without a colon', () => head('nonsense\r\n'), 400],
      ['headers of 20 kB', () => head(`X-Long: ${'y'.repeat(20_000)}\r\n`), 431],
      ['a path of 20 kB', () => Buffer.from(`GET /${'p'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`), 431],
      ['no HTTP at all', () => Buffer.from('nonsense\r\n\r\n'), 400],
      ['a TLS hello', () => Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03]), 400],
      ['a tunnel', () => Buffer.from('CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'), 405],
      ['an HTTP/2 preface', () => Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), 400],
      ['an unknown expectation', () => head('Expect: 200-ok\r\nContent-Length: 0\r\n'), 417],
      ['no Host', () => Buffer.from('GET /api/v1/users/me HTTP/1.1\r\nConnection: close\r\n\r\n'), 400],
    ])('%s is answered in JSON', async (_what, bytes, status) => {
      expectRefusal(await ada().sendBytes(bytes()), status);
    });

    it('a chunk whose size is none is a 400', async () => {
      expectRefusal(await ada().sendBytes(head('Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n')), 400);
    });
  });

  describe('slow and broken clients', () => {
    it('whose headers come byte by byte and do not end are cut off with a 408', async () => {
      const bytes = Buffer.from(`GET /api/v1/users/me HTTP/1.1\r\nX-Slow: ${'y'.repeat(1_000)}`);
      const answer = await ada().sendBytes(bytes, { pieceBytes: 1, pauseMs: 100 });
      expectRefusal(answer, 408);
    });

    it('whose body stands still are cut off with a 408', async () => {
      const headers = [ada().authorization, urlencoded];
      const bytes = bytesOf({ path: '/api/v1/stamps', headers, body: 'data', length: 1_000 });
      expectRefusal(await ada().sendBytes(bytes), 408, 'body');
    });

    it('whose file stands still are cut off with a 408, and nothing stays staged (I7)', async () => {
      const whole = multipart([file('a.bin', Buffer.alloc(100_000))]);
      const headers = [ada().authorization, multipartType];
      const bytes = bytesOf({
        path: '/api/v1/stamps',
        headers,
        body: whole.subarray(0, 80_000),
        length: whole.length,
      });
      expectRefusal(await ada().sendBytes(bytes), 408, 'body');
      await eventually(async () => expect(await stack().staged()).toEqual([]));
    });

    it('that send a byte at a time, and go on, are answered', async () => {
      const body = `colour=${'r'.repeat(20)}`;
      const bytes = bytesOf({ path: '/api/v1/stamps', headers: [ada().authorization, urlencoded], body });
      const pieces = Math.ceil(bytes.length / 40);
      const pauseMs = Math.ceil((limits.stalledMs * 1.2) / pieces);
      expectRefusal(await ada().sendBytes(bytes, { pieceBytes: 40, pauseMs: Math.min(pauseMs, 100) }), 400, 'colour');
    });

    it('that reset the connection in mid-body leave nothing staged (I7)', async () => {
      const part = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n`;
      const body = Buffer.concat([Buffer.from(part), Buffer.alloc(300_000, 'x')]);
      const headers = [ada().authorization, multipartType];
      const bytes = bytesOf({ path: '/api/v1/stamps', headers, body, length: 2_000_000 });
      await sendAndReset(ada().port, bytes, () =>
        eventually(async () => expect(await stack().staged()).not.toEqual([])),
      );
      await eventually(async () => expect(await stack().staged()).toEqual([]));
    });

    it('that break off in the middle of a chunk are forgotten', async () => {
      const head = `POST /api/v1/stamps HTTP/1.1\r\nHost: x\r\n${ada().authorization}\r\n${urlencoded}\r\n`;
      const bytes = Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\nff\r\ndata=`);
      await sendAndReset(ada().port, bytes, async () => {});
      expect((await ada().get('/users/me')).status).toBe(200);
    });

    it('whose announced length is beyond the limit are told at once, before they send', async () => {
      const headers = [ada().authorization, multipartType, 'Expect: 100-continue'];
      const bytes = bytesOf({ path: '/api/v1/stamps', headers, body: '', length: 2 ** 40 });
      expectRefusal(await ada().sendBytes(bytes), 413);
    });
  });
}
