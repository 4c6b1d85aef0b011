import { readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createAsyncApi, defaultOrigin, describedEventTypes, publicSchemas } from '@indelible/public-events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Gateway, startGateway } from './gateway-harness.ts';

const publicUrl = 'https://api.example.com/stamps';
const folder = resolve(import.meta.dirname, '../../../packages/public-events/schemas');

let gateway: Gateway;
let root: string;
beforeAll(async () => {
  gateway = await startGateway({ publicUrl });
  root = gateway.base.replace('/api/v1', '');
}, 120_000);
afterAll(() => gateway.dispose(), 60_000);

const get = (path: string, method = 'GET'): Promise<Response> => fetch(root + path, { method, redirect: 'manual' });

describe('the schemas of events', () => {
  it('are served as they are committed, to the byte, cacheable and without a key', async () => {
    const names = await readdir(folder);
    expect(names.sort()).toEqual(publicSchemas.map(({ fileName }) => fileName).sort());
    for (const name of names) {
      const answer = await get(`/schemas/${name}`);
      expect([answer.status, answer.headers.get('Content-Type')]).toEqual([
        200,
        'application/schema+json; charset=utf-8',
      ]);
      expect(answer.headers.get('Cache-Control')).toMatch(/^public, max-age=\d+$/);
      expect(await answer.text()).toBe(await readFile(`${folder}/${name}`, 'utf8'));
      const head = await get(`/schemas/${name}/`, 'HEAD');
      expect([head.status, head.headers.get('Content-Length')]).toEqual([200, answer.headers.get('Content-Length')]);
    }
  });

  it.each(['/schemas/', '/schemas'])('are listed at %s, by the addresses that events name them by', async (path) => {
    const { schemas } = (await (await get(path)).json()) as { schemas: { type: string; url: string }[] };
    expect(schemas.map(({ type, url }) => [type, url])).toEqual(
      publicSchemas.map(({ subject, fileName }) => [subject, `${publicUrl}/schemas/${fileName}`]),
    );
  });
});

describe('the description of events', () => {
  it.each(['/asyncapi.json', '/asyncapi.json/'])(
    'GET %s is the AsyncAPI document of this installation',
    async (path) => {
      const answer = await get(path);
      expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, 'application/json; charset=utf-8']);
      const document = (await answer.json()) as { servers: { api: { protocol: string; pathname: string } } };
      expect(document).toEqual(createAsyncApi({ ...defaultOrigin, publicUrl }));
      expect(document.servers.api).toMatchObject({ protocol: 'https', pathname: '/stamps' });
    },
  );

  it('GET /events/ is a page without scripts, with every type, whose links are relative and lead somewhere', async () => {
    const answer = await get('/events/');
    expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = answer.headers.get('Content-Security-Policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    const page = await answer.text();
    expect(page).not.toMatch(/<script|style=|undefined/);
    const links = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link as string);
    const allIds = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => `#${id}`);
    const ids = new Set(allIds);
    expect(allIds).toHaveLength(ids.size);
    for (const { name, version } of describedEventTypes)
      expect(ids).toContain(version === 1 ? `#${name}` : `#${name}.v${version}`);
    expect(page.match(/Sent to webhooks only/g)).toHaveLength(1);
    expect(links.filter((link) => link.startsWith('#') && !ids.has(link))).toEqual([]);
    const outside = [...new Set(links.filter((link) => !link.startsWith('#')))];
    expect(outside.filter((link) => /^\/|^\w+:/.test(link))).toEqual([]);
    expect(outside).toContain('events.css');
    for (const link of outside) {
      const { pathname } = new URL(link, `${root}/events/`);
      expect([link, (await get(pathname, 'HEAD')).status]).toEqual([link, 200]);
    }
  });

  it('GET /events leads to it below any path', async () => {
    const answer = await get('/events');
    expect([answer.status, answer.headers.get('Location')]).toEqual([302, 'events/']);
  });

  it.each<[string, string, number]>([
    ['POST', '/events/', 405],
    ['DELETE', '/schemas/stamp.confirmed.v1.json', 405],
    ['GET', '/schemas/nothing.json', 404],
    ['GET', '/schemas/..%2fpackage.json', 404],
    ['GET', '/events/nothing', 404],
    ['GET', '/asyncapi.json?colour=red', 400],
  ])('%s %s is a %d in JSON', async (method, path, status) => {
    const answer = await get(path, method);
    expect(answer.status).toBe(status);
    expect(typeof ((await answer.json()) as { error: string }).error).toBe('string');
  });
});
