import { createAsyncApi, defaultOrigin, publicSchemas, schemaTextOf } from '@indelible/public-events';
import { HttpError } from '../../errors/http-error.ts';
import { eventsPage } from './events-page.ts';
import { cached, checked, type Page, page, policy, redirect } from './page.ts';

/**
 * The description of public events: their JSON Schemas at `/schemas/`, to which each event's `dataschema` points, the
 * AsyncAPI document at `/asyncapi.json`, and a page for people at `/events/`. Undefined for another path.
 * @param publicUrl of this API, in these documents
 * @throws HttpError 404 below `/schemas/` and `/events/`
 */
export function createEventPages(publicUrl: string, styles: Buffer): (path: string) => Page | undefined {
  const document = createAsyncApi({ ...defaultOrigin, publicUrl });
  const index = page('json', `${JSON.stringify({ schemas: indexOf(publicUrl) }, null, 2)}\n`, checked);
  const asyncApi = page('json', JSON.stringify(document), checked);
  const pages = new Map<string, Page>([
    ['/schemas', index],
    ['/schemas/', index],
    ['/asyncapi.json', asyncApi],
    ['/asyncapi.json/', asyncApi],
    ['/events', redirect(['events/', 'Indelible: the events'])],
    ['/events/', page('html', eventsPage(document), { ...checked, ...policy })],
    ['/events/events.css', page('css', styles, cached)],
    ...publicSchemas.flatMap((schema) => {
      const served = page('schema', schemaTextOf(schema), cached);
      return [`/schemas/${schema.fileName}`, `/schemas/${schema.fileName}/`].map((path) => [path, served] as const);
    }),
  ]);
  return (path) => {
    const found = pages.get(path);
    if (found === undefined && /^\/(?:schemas|events)\//.test(path))
      throw new HttpError(404, 'not found', { details: 'no such path' });
    return found;
  };
}

const indexOf = (publicUrl: string) =>
  publicSchemas.map(({ subject, fileName, schema: { title, description } }) => ({
    type: subject,
    title,
    description,
    url: `${publicUrl}/schemas/${fileName}`,
  }));
