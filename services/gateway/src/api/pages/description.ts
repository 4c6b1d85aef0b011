import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { HttpError, invalid } from '../../errors/http-error.ts';
import type { ApiDocument } from '../edge/document.ts';
import { parseQuery } from '../edge/query.ts';
import { createEventPages } from './event-pages.ts';
import { cached, checked, type Page, page, policy, redirect } from './page.ts';

/** Of the page, beside the package's own files. */
const own = (name: string): Buffer => readFileSync(new URL(`../../../page/${name}`, import.meta.url));

/**
 * The description of the API: interactive at `/swagger/`, for machines at `/swagger.json` and
 * `/swagger/?format=openapi`; and that of public events. All served by this process, without a key. The root redirects
 * there. Undefined for any other path.
 * @param shownUrl of this API, in the documents
 * @throws HttpError 404 below `/swagger/`, `/events/` and `/schemas/`, 405, 400 for a query other than `format=openapi`
 */
export function createDescription(
  document: ApiDocument,
  shownUrl: string,
): (method: string | undefined, path: string, query: string) => Page | undefined {
  const json = page('json', JSON.stringify(document.copy()), checked);
  const interactive = page('html', own('index.html'), { ...checked, ...policy });
  const root = redirect(['swagger/', 'Indelible: the API and its description'], ['events/', 'Its events']);
  const assets = new Map<string, Page>([
    ['swagger-ui.css', asset('css', 'swagger-ui.css')],
    ['swagger-ui-bundle.js', asset('js', 'swagger-ui-bundle.js')],
    ['favicon-32x32.png', asset('png', 'favicon-32x32.png')],
    ['start.js', page('js', own('start.js'), cached)],
  ]);
  const findEventPage = createEventPages(shownUrl, own('events.css'));

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
    if (!path.startsWith('/swagger/')) return findEventPage(path);
    const found = assets.get(path.slice('/swagger/'.length));
    if (found === undefined) throw new HttpError(404, 'not found', { details: 'no such path' });
    return found;
  }
}

/** Whether the query is `format=openapi`. */
function readFormat(query: string): boolean {
  const { format, ...others } = parseQuery(query);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw invalid(unknown, 'unknown query parameter');
  if (format !== undefined && format !== 'openapi') throw invalid('format', 'must be openapi');
  return format !== undefined;
}

const asset = (type: 'css' | 'js' | 'png', name: string): Page =>
  page(type, readFileSync(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`)), cached);
