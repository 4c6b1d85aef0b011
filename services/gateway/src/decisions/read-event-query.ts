import type { EventFilter } from './event-filter.ts';

/** A request to `GET /events`. `from` undefined: a stream of new events only. */
export type EventRequest = {
  readonly from: { readonly after: number } | { readonly since: string } | undefined;
  readonly filter: EventFilter;
} & (
  | { readonly form: 'stream' }
  | { readonly form: 'page'; readonly from: object; readonly limit: number; readonly waitMs: number }
);

export type EventQueryFault = { readonly fault: { readonly name: string; readonly text: string } };

const defaultLimit = 100;
const start = { after: 0 };

/**
 * Reads a query whose parts each fit the document. A request with `wait`, or one that accepts JSON and no stream, gets
 * a page; all others get a stream. The header's position, of the last event read, takes precedence over the query,
 * which a client repeats when it reconnects.
 */
export function readEventQuery(
  query: Readonly<Record<string, string>>,
  headers: { readonly lastEventId: string | undefined; readonly accept: string | undefined },
): EventRequest | EventQueryFault {
  const { types, collections, since, after, limit, wait } = query;
  if (since !== undefined && after !== undefined) return faultOf('since', 'not together with after');
  const position = headers.lastEventId || after;
  if (position !== undefined && !Number.isSafeInteger(Number(position)))
    return faultOf(position === after ? 'after' : 'Last-Event-ID', 'must be the id of an event, or the next of a page');
  const time = since === undefined ? undefined : timeOf(since);
  if (since !== undefined && time === undefined) return faultOf('since', 'must be a time in ISO 8601 with its offset');
  const from = position !== undefined ? { after: Number(position) } : time === undefined ? undefined : { since: time };
  const filter = {
    types: types === undefined ? undefined : new Set(types.split(',')),
    collections: collections === undefined ? undefined : new Set(collections.toLowerCase().split(',')),
  };
  if (wait !== undefined || acceptsJsonOnly(headers.accept))
    return {
      form: 'page',
      from: from ?? start,
      filter,
      limit: limit === undefined ? defaultLimit : Number(limit),
      waitMs: Number(wait ?? 0) * 1000,
    };
  if (limit !== undefined) return faultOf('limit', 'is allowed only together with wait');
  return { form: 'stream', from, filter };
}

const faultOf = (name: string, text: string): EventQueryFault => ({ fault: { name, text } });

/** Libraries that expect JSON often accept any type as well. */
const acceptsJsonOnly = (accept = ''): boolean =>
  /application\/json/i.test(accept) && !/text\/event-stream/i.test(accept);

const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** An unencoded plus arrives as a space. */
function timeOf(given: string): string | undefined {
  const text = given.replace(' ', '+');
  const time = new Date(instant.test(text) ? text : Number.NaN);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
