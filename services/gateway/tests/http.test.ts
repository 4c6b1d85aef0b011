import { connect, type Socket } from 'node:net';
import { cidOfContent } from '@indelible/identifiers';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Account,
  type AnyBody,
  formOf,
  type Gateway,
  type GatewayResponse,
  startGateway,
} from './gateway-harness.ts';

let gateway: Gateway;
let ada: Account;
let reader: Account;
beforeAll(async () => {
  gateway = await startGateway({ stalledMs: 1_000, maxFileBytes: 256 * 1024, maxDataBytes: 1_024 });
  ada = await gateway.openAccount();
  reader = {
    account: ada.account,
    apiKey: (await gateway.accounts.createKey({ account: ada.account, name: 'r', scopes: ['read'] })).apiKey,
  };
  gateway.stamping.confirmAll();
}, 120_000);
afterAll(() => gateway.dispose(), 60_000);

const cid = cidOfContent('x');
const json = { 'Content-Type': 'application/json' };
const urlencoded = { 'Content-Type': 'application/x-www-form-urlencoded' };
const messageOf = ({ body }: GatewayResponse<AnyBody>): string => `${body.error} ${body.details ?? ''}`;

/**
 * Sends raw bytes, then `drip` twenty times a second; returns all that arrives until the server closes or `until` is
 * seen.
 */
function raw(text: string | Buffer, until?: RegExp, drip?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket: Socket = connect(Number(new URL(gateway.base).port), '127.0.0.1', () => socket.write(text));
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      if (until?.test(answer) === true) socket.destroy();
    });
    const began = performance.now();
    let dripped = 0;
    // By the clock: a busy machine runs an interval less often.
    const dripNow = (): void => {
      const due = Math.floor((performance.now() - began) / 50);
      socket.write((drip ?? '').repeat(due - dripped));
      dripped = due;
    };
    const dripping = drip === undefined ? undefined : setInterval(dripNow, 50);
    socket.on('close', () => {
      clearInterval(dripping);
      resolve(answer);
    });
    socket.on('error', reject);
  });
}
const head = (more: string, method = 'POST', path = '/stamps'): string =>
  `${method} /api/v1${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ada.apiKey}\r\n${more}\r\n`;
const statusOf = (answer: string): number => Number(answer.split(' ')[1]);
const bodyOf = (answer: string): AnyBody => JSON.parse(answer.split('\r\n\r\n').at(-1) as string) as AnyBody;

describe('authentication', () => {
  it.each<[string, Record<string, string>]>([
    ['no key', {}],
    ['another scheme', { Authorization: 'Basic abc' }],
    ['no token', { Authorization: 'Bearer ' }],
    ['a malformed key', { Authorization: 'Bearer nonsense' }],
    ['two tokens', { Authorization: 'Bearer a b' }],
  ])('with %s is a 401 with WWW-Authenticate: Bearer, and the body is not read', async (_what, headers) => {
    const answer = await gateway.send(undefined, '/stamps', {
      method: 'POST',
      headers,
      body: formOf({ nonsense: '1' }),
    });
    expect(answer).toMatchObject({ status: 401, body: { error: expect.any(String) } });
    expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer');
  });

  it('with a revoked key is a 401, in whatever words', async () => {
    const { id, apiKey } = await gateway.accounts.createKey({ account: ada.account, name: 'gone' });
    await gateway.accounts.revokeKey(id);
    const answer = await gateway.send({ account: ada.account, apiKey }, '/users/me');
    expect(answer.status).toBe(401);
    expect(JSON.stringify(answer.body)).not.toContain(apiKey);
  });

  it('without the scope is a 403', async () => {
    expect((await gateway.send(reader, '/users/me')).status).toBe(200);
    const answer = await gateway.send(reader, '/stamps', { method: 'POST', body: formOf({ data_cid: cid }) });
    expect(answer).toMatchObject({ status: 403, body: { details: expect.stringContaining('stamp') } });
  });

  it('takes the scheme in any letter case', async () => {
    const headers = { Authorization: `bearer ${ada.apiKey}` };
    expect((await gateway.send(undefined, '/users/me', { headers })).status).toBe(200);
  });

  it('given twice is a 400', async () => {
    const answer = await raw(head(`Authorization: Bearer ${ada.apiKey}\r\nConnection: close\r\n`, 'GET', '/users/me'));
    expect(statusOf(answer)).toBe(400);
    expect(bodyOf(answer).error).toContain('Authorization');
  });
});

describe('paths and methods', () => {
  it.each([
    ['GET', '/nothing', 404],
    ['GET', '/stamps/verify', 405],
    ['PUT', '/stamps', 405],
    ['OPTIONS', '/collections', 405],
  ])('%s %s is a %d in the shape of every error', async (method, path, status) => {
    const answer = await gateway.send(ada, path, { method });
    expect(answer).toMatchObject({ status, body: { error: expect.any(String) } });
    if (status === 405) expect(answer.headers.get('Allow')).toMatch(/GET|POST/);
  });

  it('HEAD works where GET does', async () => {
    const answer = await gateway.send(ada, '/users/me', { method: 'HEAD' });
    expect(answer).toMatchObject({ status: 200, body: undefined });
  });

  it('a trailing slash counts for nothing, nor do escapes that are not needed', async () => {
    const init = { method: 'POST', body: JSON.stringify({ cids: [cid] }), headers: json };
    expect((await gateway.send(ada, '/stamps/verify/', init)).status).toBe(200);
    expect((await gateway.send(ada, '/stamps/%76erify', { ...init, body: '{}' })).status).toBe(400);
  });

  it.each([
    'nonsense',
    'urn:uuid:0198f2c4-7b1e-4c3a-9d52-6e0f8a1b2c3d',
    '{0198f2c4-7b1e-4c3a-9d52-6e0f8a1b2c3d}',
    '0198f2c47b1e4c3a9d526e0f8a1b2c3d',
    '0198f2c4-7b1e-4c3a-9d52-6e0f8a1b2c3d%00',
    '0198F2C4-7B1E-4C3A-9D52-6E0F8A1B2C3D',
  ])('an id that is no UUID of 36 characters, or of no stamp, is a 404: %s', async (id) => {
    expect(await gateway.send(ada, `/stamps/${id}`)).toMatchObject({ status: 404, body: { error: 'stamp not found' } });
  });
});

describe('tracing', () => {
  it('answers the id it was given, or a new one, and takes it along with the command', async () => {
    const id = '0a0a0a0a-0a0a-4a0a-8a0a-0a0a0a0a0a0a';
    const given = await gateway.send(ada, '/users/me', { headers: { 'X-Request-Id': id } });
    expect(given.headers.get('X-Request-Id')).toBe(id);
    const other = await gateway.send(ada, '/users/me', { headers: { 'X-Request-Id': 'nonsense' } });
    expect(other.headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
    const stamps = await Promise.all(
      ['a', 'b'].map((data) =>
        gateway.send(ada, '/stamps', {
          method: 'POST',
          body: formOf({ data, store_stamped_file: '0' }),
          headers: { 'X-Request-Id': id },
        }),
      ),
    );
    expect(stamps.map(({ status }) => status)).toEqual([201, 201]);
  });
});

describe('bodies of the wrong kind', () => {
  it.each<[string, string, Record<string, string>, string | undefined, number, string]>([
    ['JSON for a form', '/stamps', json, '{}', 415, 'multipart/form-data'],
    ['no type for a form', '/stamps', { 'Content-Type': '' }, 'x', 415, 'multipart/form-data'],
    ['text for JSON', '/stamps/verify', { 'Content-Type': 'text/plain' }, '{}', 415, 'application/json'],
    ['another charset', '/stamps/verify', { 'Content-Type': 'application/json; charset=latin1' }, '{}', 400, 'charset'],
    [
      'another charset of a form',
      '/stamps',
      { 'Content-Type': `${urlencoded['Content-Type']};charset=utf-16` },
      'data=x',
      400,
      'charset',
    ],
    ['compressed JSON', '/stamps/verify', { ...json, 'Content-Encoding': 'gzip' }, '{}', 415, 'identity'],
    ['broken JSON', '/stamps/verify', json, '{', 400, 'JSON'],
    ['no JSON', '/stamps/verify', json, '', 400, 'JSON'],
    ['a key twice', '/stamps/verify', json, `{"cids":["${cid}"],"cids":[]}`, 400, 'cids'],
    ['a lone surrogate', '/collections', json, '{"name":"\\ud800"}', 400, 'surrogate'],
    ['no boundary', '/stamps', { 'Content-Type': 'multipart/form-data' }, 'x', 400, 'boundary'],
    ['no multipart after all', '/stamps', { 'Content-Type': 'multipart/form-data; boundary=x' }, 'x', 400, 'multipart'],
    ['an unknown field', '/stamps', urlencoded, `data_cid=${cid}&colour=red`, 400, 'colour'],
    ['a field twice', '/stamps', urlencoded, `data_cid=${cid}&data_cid=${cid}`, 400, 'data_cid'],
    ['a field of invalid UTF-8', '/stamps', urlencoded, 'data=%ff', 400, 'data'],
    ['a broken escape', '/stamps', urlencoded, 'data=%f', 400, 'data'],
    ['an empty data', '/stamps', urlencoded, 'data=', 400, 'data'],
    ['a file that is none', '/stamps', urlencoded, 'file=x', 400, 'file'],
    ['a field too long', '/stamps', urlencoded, `collection_name=${'x'.repeat(9_000)}`, 400, 'collection_name'],
    ['an empty form', '/stamps', urlencoded, '', 400, 'data_cid'],
    ['a query beside a form', '/stamps?colour=red', urlencoded, `data_cid=${cid}`, 400, 'colour'],
    ['a query beside JSON', '/stamps/verify?colour=red', json, `{"cids":["${cid}"]}`, 400, 'colour'],
    ['data over the limit', '/stamps', urlencoded, `data=${'x'.repeat(1_025)}`, 413, '1024'],
    ['JSON over the limit', '/stamps/verify', json, ' '.repeat(3 * 2 ** 20), 413, 'bytes'],
  ])('%s at %s is refused', async (_what, path, headers, body, status, named) => {
    const answer = await gateway.send(ada, path, { method: 'POST', headers, ...(body === undefined ? {} : { body }) });
    expect(answer.status).toBe(status);
    expect(messageOf(answer)).toContain(named);
  });

  it('a file over the limit is a 413, at once with Content-Length', async () => {
    const form = formOf({ file: new File([Buffer.alloc(300 * 1024)], 'a') });
    expect((await gateway.send(ada, '/stamps', { method: 'POST', body: form })).status).toBe(413);
    const announced = await raw(
      head('Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 99999999\r\nExpect: 100-continue\r\n'),
      /\}$/,
    );
    expect(statusOf(announced)).toBe(413);
    expect(bodyOf(announced).error).toEqual(expect.any(String));
  });

  it('a body is requested only with a valid key', async () => {
    const form = `data_cid=${cid}`;
    const more = `Content-Type: ${urlencoded['Content-Type']}\r\nContent-Length: ${form.length}\r\nExpect: 100-continue\r\n`;
    expect(await raw(head(more), /\r\n\r\n/)).toMatch(/^HTTP\/1\.1 100 Continue/);
    expect(statusOf(await raw(head(more).replace(ada.apiKey, 'nonsense'), /\r\n\r\n/))).toBe(401);
  });
});

describe('what the HTTP parser refuses', () => {
  it.each<[string, () => string, number]>([
    ['nonsense', () => 'nonsense\r\n\r\n', 400],
    ['Content-Length with Transfer-Encoding', () => head('Content-Length: 3\r\nTransfer-Encoding: chunked\r\n'), 400],
    ['headers too large', () => head(`X: ${'y'.repeat(20_000)}\r\n`), 431],
    ['headers that do not end', () => 'GET /api/v1/users/me HTTP/1.1\r\nHost: x\r\n', 408],
    ['a tunnel', () => 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', 405],
  ])('%s is answered in JSON', async (_what, text, status) => {
    const answer = await raw(text());
    expect(statusOf(answer)).toBe(status);
    expect(bodyOf(answer).error).toEqual(expect.any(String));
  });

  it('a connection that never sends a byte is closed without an answer: a client may keep some ready', async () => {
    expect(await raw('')).toBe('');
  });

  it('a body that stalls is a 408', async () => {
    const more = `Content-Type: ${urlencoded['Content-Type']}\r\nContent-Length: 100\r\n`;
    const answer = await raw(`${head(more)}data`, /\}$/);
    expect(statusOf(answer)).toBe(408);
    expect(bodyOf(answer).details).toBe('its body stood still');
  });

  it.each([100_000, 1_000])(
    'a body of %d bytes that never stalls is a 408 as well when it is too slow',
    async (length) => {
      const more = `Content-Type: ${urlencoded['Content-Type']}\r\nContent-Length: ${length}\r\n`;
      const answer = await raw(`${head(more)}data=`, /\}$/, 'x');
      expect(statusOf(answer)).toBe(408);
      expect(bodyOf(answer).details).toBe('its body came too slowly');
    },
  );

  it('a body that keeps to the rate may take longer than any of these times', async () => {
    const length = 14_000;
    const more = `Content-Type: application/json\r\nContent-Length: ${length}\r\nConnection: close\r\n`;
    // 100 bytes every 50 ms: about seven times the stall limit.
    const answer = await raw(head(more, 'POST', '/stamps/verify'), /\}$/, ' '.repeat(100));
    expect([statusOf(answer), bodyOf(answer).error]).toEqual([400, 'the body is not valid JSON']);
  });
});

describe('stopping', () => {
  it('lets waiting requests go with their status resource, and frees the port', async () => {
    const other = await startGateway({ drainMs: 0 });
    try {
      const eve = await other.openAccount();
      const waiting = other.send(eve, '/stamps', { method: 'POST', body: formOf({ data_cid: cid }) });
      await eventually(async () => expect(other.stamping.commands).toHaveLength(1));
      await other.stopService();
      const answer = await waiting;
      expect(answer.status).toBe(503);
      expect(answer.headers.get('Location')).toBe(`/api/v1/stamps/${other.stamping.commands[0]?.requestId}`);
      await expect(other.send(eve, '/users/me')).rejects.toThrow('fetch failed');
    } finally {
      await other.dispose();
    }
  }, 120_000);
});

describe('health', () => {
  it('is shown on the internal server only', async () => {
    expect((await fetch(`${gateway.internal}/health/live`)).status).toBe(200);
    expect((await fetch(`${gateway.internal}/health/ready`)).status).toBe(200);
    expect((await fetch(gateway.base.replace('/api/v1', '/health/live'))).status).toBe(404);
  });
});

describe('an answer that is not taken', () => {
  it('is cut, and the connection with it, however it was made', async () => {
    const path = '/swagger/swagger-ui-bundle.js';
    const socket = connect(Number(new URL(gateway.base).port), '127.0.0.1');
    socket.on('error', () => {});
    await new Promise((connected) => socket.once('connect', connected));
    // Many responses, more than any kernel buffer holds.
    socket.pause();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(20));
    const open = async (): Promise<number> =>
      Number(
        /^indelible_gateway_connections (\d+)$/m.exec(await (await fetch(`${gateway.internal}/metrics`)).text())?.[1],
      );
    const before = await open();
    await eventually(async () => expect(await open()).toBeLessThan(before), { timeoutMs: 40_000 });
    socket.destroy();
  }, 60_000);
});
