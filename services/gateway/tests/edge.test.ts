import { checksumAddress, cidOfContent } from '@indelible/identifiers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { components } from '../src/api/generated/openapi.ts';
import {
  type Account,
  type AnyBody,
  formOf,
  type Gateway,
  type GatewayResponse,
  startGateway,
} from './gateway-harness.ts';

const app = 'https://app.example.com';
let gateway: Gateway;
let ada: Account;
let bob: Account;
let root: string;
beforeAll(async () => {
  gateway = await startGateway({ corsOrigins: [app, 'http://localhost:3000'] });
  ada = await gateway.openAccount();
  bob = await gateway.openAccount('Bob');
  root = gateway.base.replace('/api/v1', '');
  gateway.stamping.confirmAll();
}, 120_000);
afterAll(() => gateway.dispose(), 60_000);

const json = { 'Content-Type': 'application/json' };
const messageOf = ({ body }: GatewayResponse<AnyBody>): string => `${body.error} ${body.details ?? ''}`;

describe('POST /stamp/', () => {
  const post = (
    path: string,
    fields: Record<string, string>,
    who: Account | undefined = ada,
  ): Promise<GatewayResponse<AnyBody>> => gateway.send(who, path, { method: 'POST', body: formOf(fields) });
  const deprecation = ({ headers }: GatewayResponse<AnyBody>): unknown => [
    headers.get('Deprecation'),
    headers.get('Link'),
  ];
  const expected = [expect.stringMatching(/^@\d{10}$/), '</api/v1/stamps>; rel="successor-version"'];

  it.each(['/stamp/', '/stamp'])('%s answers as POST /stamps, with Deprecation and Link', async (path) => {
    const data_cid = cidOfContent(`deprecated ${path}`);
    const created = await post(path, { data_cid });
    expect(created).toMatchObject({ status: 201, body: { commitment_receipt: { object_cid: data_cid } } });
    expect(deprecation(created)).toEqual(expected);
  });

  it('finds what POST /stamps has in flight or made, as one operation (I2)', async () => {
    const data_cid = cidOfContent('by both paths');
    const answers = await Promise.all([post('/stamp/', { data_cid }), post('/stamps', { data_cid })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 201]);
    expect(answers[0]?.body).toEqual(answers[1]?.body);
  });

  it('has its headers on errors as well', async () => {
    const invalid = await post('/stamp/', { data_cid: '0x12' });
    expect(invalid.status).toBe(400);
    expect(messageOf(invalid)).toContain('data_cid');
    const unknown = await gateway.send(undefined, '/stamp/', { method: 'POST' });
    expect(unknown.status).toBe(401);
    for (const answer of [invalid, unknown]) expect(deprecation(answer)).toEqual(expected);
  });

  it('alone is deprecated', async () => {
    expect(deprecation(await post('/stamps', { data_cid: cidOfContent('new') }))).toEqual([null, null]);
    expect(await gateway.send(ada, '/stamp/')).toMatchObject({ status: 405 });
  });
});

describe('GET /users/{user_address}', () => {
  const settings = (
    who: Account,
    path: string,
  ): Promise<GatewayResponse<components['schemas']['AccountSettings'] & AnyBody>> =>
    gateway.send(who, `/users/${path}`);
  const keys = [
    'date_joined',
    'description',
    'display_timezone',
    'email',
    'last_address',
    'last_is_verified',
    'last_name',
    'name',
    'persistent_id',
    'storage_type',
  ];

  it('of the caller is what GET /users/me answers, by its address in any case', async () => {
    const own = await settings(ada, 'me');
    expect(own.body.email).toBe('ada@example.com');
    const digits = ada.account.slice(2);
    for (const address of [ada.account, checksumAddress(ada.account), `0x${digits.toUpperCase()}`, `${ada.account}/`])
      expect(await settings(ada, address)).toMatchObject({ status: 200, body: own.body });
  });

  it('of another account has every key, and its e-mail masked', async () => {
    const { status, body } = await settings(ada, bob.account);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'Bob',
      email: 'a***@example.com',
      last_address: checksumAddress(bob.account),
    });
    expect(Object.keys(body).sort()).toEqual(keys);
    expect(Object.keys((await settings(bob, 'me')).body).sort()).toEqual(keys);
  });

  it('of a well-formed address without an account is a 404', async () => {
    const address = `0x${'9'.repeat(40)}`;
    expect(await settings(ada, address)).toMatchObject({ status: 404, body: { error: 'User not found' } });
  });

  it.each([
    ['too short', '0x12'],
    ['no address', 'nobody'],
    ['a wrong checksum', '0xa0b86991c6218b36c1d19D4a2e9Eb0cE3606eb48'],
    ['percent-encoded', '%30x12'],
    ['a proto key', '__proto__'],
  ])('with %s is a 400 that names it', async (_what, address) => {
    const answer = await settings(ada, address);
    expect(answer.status).toBe(400);
    expect(messageOf(answer)).toContain('user_address');
  });

  it('needs the scope read', async () => {
    const { apiKey } = await gateway.accounts.createKey({ account: ada.account, name: 's', scopes: ['stamp'] });
    expect((await settings({ account: ada.account, apiKey }, bob.account)).status).toBe(403);
  });
});

describe('CORS', () => {
  const preflight = (origin: string, path = '/stamps'): Promise<Response> =>
    fetch(gateway.base + path, {
      method: 'OPTIONS',
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization,idempotency-key',
      },
    });

  it('answers the preflight of a configured origin without a key', async () => {
    const { status, headers } = await preflight(app);
    expect(status).toBe(204);
    expect(headers.get('Access-Control-Allow-Origin')).toBe(app);
    expect(headers.get('Access-Control-Allow-Methods')).toBe('GET, HEAD, POST');
    for (const name of ['Authorization', 'Content-Type', 'Idempotency-Key', 'Prefer', 'X-Request-Id'])
      expect(headers.get('Access-Control-Allow-Headers')).toContain(name);
    expect(headers.get('Access-Control-Allow-Credentials')).toBeNull();
    expect(headers.get('Vary')).toContain('Origin');
  });

  it('lets a configured origin read answers, errors and headers', async () => {
    for (const who of [ada, undefined]) {
      const { headers } = await gateway.send(who, '/users/me', { headers: { Origin: app } });
      expect(headers.get('Access-Control-Allow-Origin')).toBe(app);
      const exposed = headers.get('Access-Control-Expose-Headers');
      for (const name of ['X-Request-Id', 'Location', 'Retry-After', 'RateLimit', 'Deprecation', 'Link'])
        expect(exposed).toContain(name);
    }
  });

  it('allows no other origin, and sends Vary for caches', async () => {
    const refused = await preflight('https://evil.example.com');
    expect(refused.status).toBe(405);
    const { headers } = await gateway.send(ada, '/users/me', { headers: { Origin: 'null' } });
    for (const { get } of [refused.headers, headers].map((h) => ({ get: (name: string) => h.get(name) }))) {
      expect(get('Access-Control-Allow-Origin')).toBeNull();
      expect(get('Vary')).toContain('Origin');
    }
  });
});

describe('the description', () => {
  const get = (path: string, method = 'GET'): Promise<Response> => fetch(root + path, { method });

  it.each(['/swagger.json', '/swagger.json/', '/swagger/?format=openapi', '/swagger?format=openapi'])(
    'GET %s is the OpenAPI document as JSON, without a key, and HEAD works',
    async (path) => {
      const answer = await get(path);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('Content-Type')).toMatch(/^application\/json/);
      const document = (await answer.json()) as {
        openapi: string;
        servers: unknown;
        paths: Record<string, Record<string, { deprecated?: boolean }>>;
      };
      expect(document.openapi).toMatch(/^3\./);
      // Relative, so that it works behind any host.
      expect(document.servers).toEqual([{ url: '/api/v1' }]);
      const deprecated = Object.entries(document.paths).filter(([, { post }]) => post?.deprecated === true);
      expect(deprecated.map(([name]) => name)).toEqual(['/stamp/']);
      const head = await get(path, 'HEAD');
      expect([head.status, head.headers.get('Content-Length')]).toEqual([200, answer.headers.get('Content-Length')]);
      expect(await head.text()).toBe('');
    },
  );

  it.each(['/swagger/', '/swagger'])(
    'GET %s is a page that runs scripts and styles of its own origin only',
    async (path) => {
      const answer = await get(path);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('Content-Type')).toMatch(/^text\/html/);
      const policy = answer.headers.get('Content-Security-Policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      const page = await answer.text();
      expect(page).not.toMatch(/https?:\/\//);
      const assets = [...page.matchAll(/(?:src|href)="(\/swagger\/[^"]+)"/g)].map(([, asset]) => asset as string);
      expect(assets).toHaveLength(4);
      for (const asset of assets) {
        const { status, headers } = await get(asset, 'HEAD');
        expect([asset, status, headers.get('X-Content-Type-Options')]).toEqual([asset, 200, 'nosniff']);
        expect(headers.get('Content-Type')).toMatch(/^(text\/css|text\/javascript|image\/png)/);
      }
    },
  );

  it.each<[string, string, number, string]>([
    ['POST', '/swagger/', 405, 'method'],
    ['DELETE', '/swagger.json', 405, 'method'],
    ['OPTIONS', '/swagger/start.js', 405, 'method'],
    ['GET', '/swagger/nothing', 404, 'not found'],
    ['GET', '/swagger/..%2fpackage.json', 404, 'not found'],
    ['GET', '/swagger/package.json', 404, 'not found'],
    ['GET', '/swagger/?format=yaml', 400, 'format'],
    ['GET', '/swagger/?colour=red', 400, 'colour'],
    ['GET', '/swagger.json?colour=red', 400, 'colour'],
    ['GET', '/swagger', 200, ''],
    ['POST', '/', 405, 'method'],
    ['GET', '/?colour=red', 400, 'colour'],
  ])('%s %s is a %d', async (method, path, status, text) => {
    const answer = await get(path, method);
    expect(answer.status).toBe(status);
    if (status === 405) expect(answer.headers.get('Allow')).toBe('GET, HEAD');
    if (status !== 200) expect(((await answer.json()) as AnyBody).error).toContain(text);
  });
});

describe('the root', () => {
  it('leads people to the description, without a key', async () => {
    const answer = await fetch(root, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('Location')]).toEqual([302, 'swagger/']);
    expect((await fetch(root)).url).toBe(`${root}/swagger/`);
  });

  it('and the description link to the page of events, which is there', async () => {
    const linksOf = (text: string) => [...text.matchAll(/<a href="([^"]+)"/g)].map(([, link]) => link as string);
    const own = linksOf(await (await fetch(root, { redirect: 'manual' })).text());
    expect(own).toEqual(['swagger/', 'events/']);
    const described = linksOf(await (await fetch(`${root}/swagger/`)).text());
    expect(described).toContain('/events/');
    const { tags } = (await (await fetch(`${root}/swagger.json`)).json()) as {
      tags: { externalDocs?: { url: string } }[];
    };
    for (const url of [...own, ...described, ...tags.flatMap(({ externalDocs }) => externalDocs?.url ?? [])])
      expect([url, (await fetch(new URL(url, `${root}/`))).status]).toEqual([url, 200]);
  });
});

describe('what is sent', () => {
  it('is not guessed at by browsers, nor kept by caches: answers and errors alike', async () => {
    for (const who of [ada, undefined]) {
      const { headers } = await gateway.send(who, '/users/me');
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
      expect(headers.get('Cache-Control')).toBe('no-store');
    }
  });
});

describe('clients in the wild', () => {
  it.each(['True', 'False', 'TRUE', 'false', '1', '0'])('send the boolean %s in forms and queries', async (given) => {
    const fields = { data: `in the wild ${given}`, store_stamped_file: 'False', idempotent: given };
    expect(await gateway.send(ada, '/stamps', { method: 'POST', body: formOf(fields) })).toMatchObject({ status: 201 });
    expect(await gateway.send(ada, `/collections?is_pinned=${given}`)).toMatchObject({ status: 200 });
  });

  it('mean the same by True and true, False and false', async () => {
    const commands = gateway.stamping.commands.length;
    for (const idempotent of ['True', 'true', 'False', 'false'])
      await gateway.send(ada, '/stamps', {
        method: 'POST',
        body: formOf({ data_cid: cidOfContent('once'), idempotent }),
      });
    const windows = gateway.stamping.commands.slice(commands).map(({ idempotency }) => idempotency?.windowSeconds);
    expect(windows).toEqual([3600, 3600, undefined, undefined]);
  });

  it('send null for what they do not give: POST /stamps/verify', async () => {
    gateway.neighbours.answerLookups(200, { receipts: [] });
    const body = JSON.stringify({ cids: [cidOfContent('x')], filter_by_user: null });
    expect(await gateway.send(ada, '/stamps/verify', { method: 'POST', body, headers: json })).toMatchObject({
      status: 200,
      body: { stamp_list: [] },
    });
    expect(gateway.neighbours.lookups.at(-1)).not.toHaveProperty('owner');
  });

  it('read every key of Collection, and send null for what they do not give: POST /collections', async () => {
    gateway.stamping.scriptCollections(async ({ requestId, account, name, description, isPinned, replyTo }) => {
      const registered = await gateway.stamping.registerCollection(account, name, { description, isPinned });
      await gateway.stamping.confirmCollection(account, registered.collectionId, registered.cid);
      await gateway.stamping.reply(replyTo, { requestId, kind: 'collection-created', account, ...registered });
    });
    const body = JSON.stringify({ name: 'Wild', cid: null, description: null, is_pinned: null });
    const created = await gateway.send<object>(ada, '/collections', { method: 'POST', body, headers: json });
    expect(created).toMatchObject({ status: 201, body: { is_pinned: false, description: null } });
    const listed = await gateway.send<object[]>(ada, '/collections');
    for (const collection of [created.body, listed.body[0] as object])
      expect(Object.keys(collection).sort()).toEqual([
        'cid',
        'created_at',
        'description',
        'id',
        'is_pinned',
        'is_portfolio',
        'is_portfolio_collection',
        'is_public',
        'name',
      ]);
  });

  it('do not mean "not given" by null where a field is required: a 400 that names it', async () => {
    for (const [path, body, name] of [
      ['/collections', { name: null }, 'name'],
      ['/stamps/verify', { cids: null }, 'cids'],
    ] as const) {
      const init = { method: 'POST', body: JSON.stringify(body), headers: json };
      const answer = await gateway.send(ada, path, init);
      expect(answer.status).toBe(400);
      expect(messageOf(answer)).toContain(name);
    }
  });
});
