import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ApiDocument } from './document.ts';
import { HttpError, invalid } from './errors.ts';
import { parseQuery } from './query.ts';

export type Page = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

/** Of the page, beside the package's own files. */
const own = (name: string): Buffer => readFileSync(new URL(`../../page/${name}`, import.meta.url));

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const types = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  png: 'image/png',
  json: 'application/json; charset=utf-8',
};

/**
 * The description of the API: interactive at `/swagger/`, for machines at `/swagger.json` and `/swagger/?format=openapi`.
 * Everything is of this process; no key is asked. The root leads people there. The answer is undefined for a path that is not the description's.
 * @throws HttpError 404 below `/swagger/`, 405, 400 for a query other than `format=openapi`
 */
export function createDescription(
  document: ApiDocument,
): (method: string | undefined, path: string, query: string) => Page | undefined {
  const json = page('json', JSON.stringify(document.copy()), { 'Cache-Control': 'no-cache' });
  const interactive = page('html', own('index.html'), {
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': contentSecurityPolicy,
    'Referrer-Policy': 'no-referrer',
  });
  // Relative, so that it holds below any path that a proxy adds.
  const root = page(
    'html',
    '<!doctype html><a href="swagger/">Indelible: the API and its description</a>\n',
    {
      Location: 'swagger/',
      'Cache-Control': 'no-cache',
    },
    302,
  );
  const assets = new Map<string, Page>([
    ['swagger-ui.css', asset('css', 'swagger-ui.css')],
    ['swagger-ui-bundle.js', asset('js', 'swagger-ui-bundle.js')],
    ['favicon-32x32.png', asset('png', 'favicon-32x32.png')],
    ['start.js', page('js', own('start.js'), cached)],
  ]);

  return (method, path, query) => {
    const found = find(path);
    if (found === undefined) return undefined;
    if (method !== 'GET' && method !== 'HEAD')
      throw new HttpError(405, 'method not allowed', { headers: { Allow: 'GET, HEAD' } });
    const asksForJson = readFormat(query);
    return found === interactive && asksForJson ? json : found;
  };

  function find(path: string): Page | undefined {
    if (path === '/') return root;
    if (path === '/swagger.json' || path === '/swagger.json/') return json;
    if (path === '/swagger' || path === '/swagger/') return interactive;
    if (!path.startsWith('/swagger/')) return undefined;
    const found = assets.get(path.slice('/swagger/'.length));
    if (found === undefined) throw new HttpError(404, 'not found', { details: 'no such path' });
    return found;
  }
}

/** Whether `format=openapi` is asked for. */
function readFormat(query: string): boolean {
  const { format, ...others } = parseQuery(query);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw invalid(unknown, 'unknown query parameter');
  if (format !== undefined && format !== 'openapi') throw invalid('format', 'must be openapi');
  return format !== undefined;
}

const cached = { 'Cache-Control': 'public, max-age=3600' };

const page = (
  type: keyof typeof types,
  body: string | Buffer,
  headers: Readonly<Record<string, string>>,
  status = 200,
): Page => ({
  status,
  headers: { 'Content-Type': types[type], 'X-Content-Type-Options': 'nosniff', ...headers },
  body: Buffer.from(body),
});

const asset = (type: keyof typeof types, name: string): Page =>
  page(type, readFileSync(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`)), cached);
