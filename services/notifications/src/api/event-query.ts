import { type Hex, parseAddress, parseCid } from '@indelible/identifiers';
import { eventNames } from '@indelible/public-events';
import type { EventFilter } from '../use-cases/read-events.ts';

export type EventQuery = EventFilter & {
  readonly account: Hex;
  /** A position, or the earliest time of the wanted events. */
  readonly from: { readonly after: number } | { readonly since: Date };
  readonly limit: number;
  readonly waitMs: number;
};

const defaultLimit = 100;
const mostEvents = 1_000;
const longestWaitMs = 60_000;
const mostFilters = 100;

/** @returns or why it is invalid */
export function readEventQuery(query: Readonly<Record<string, unknown>>): EventQuery | { readonly fault: string } {
  const text = (name: string): string | undefined => {
    const value = query[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const count = (name: string, most: number, otherwise: number): number | undefined => {
    const value = text(name);
    if (value === undefined) return otherwise;
    return /^\d{1,16}$/.test(value) && Number(value) <= most ? Number(value) : undefined;
  };
  const list = (name: string): readonly string[] | undefined => text(name)?.split(',');

  const repeated = Object.keys(query).find((name) => typeof query[name] !== 'string');
  if (repeated !== undefined) return { fault: `${repeated.slice(0, 50)}: once, as text` };
  const account = parseAddress(text('account') ?? '');
  if (account === undefined) return { fault: 'account: an address' };
  const limit = count('limit', mostEvents, defaultLimit);
  if (limit === undefined || limit === 0) return { fault: `limit: from 1 to ${mostEvents}` };
  const waitMs = count('wait', longestWaitMs, 0);
  if (waitMs === undefined) return { fault: `wait: milliseconds, at most ${longestWaitMs}` };
  const after = count('after', Number.MAX_SAFE_INTEGER, 0);
  if (after === undefined) return { fault: 'after: a position' };
  const since = text('since');
  if (since !== undefined && text('after') !== undefined) return { fault: 'since: not together with after' };
  const time = since === undefined ? undefined : timeOf(since);
  if (since !== undefined && time === undefined) return { fault: 'since: an ISO 8601 time with its offset' };
  const types = list('types');
  const unknown = types?.find((name) => !eventNames.has(name));
  if (unknown !== undefined) return { fault: `types: not a type of event: ${unknown.slice(0, 50)}` };
  const collections = list('collections')?.map(parseCid);
  if (collections?.includes(undefined)) return { fault: 'collections: CIDs, comma-separated' };
  if ((collections?.length ?? 0) > mostFilters) return { fault: `collections: at most ${mostFilters}` };
  return {
    account,
    from: time === undefined ? { after } : { since: time },
    limit,
    waitMs,
    types: types === undefined ? undefined : new Set(types),
    collections: collections === undefined ? undefined : new Set(collections as Hex[]),
  };
}

function timeOf(text: string): Date | undefined {
  const shape = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;
  // An unencoded plus arrives as a space.
  const time = new Date(shape.test(text.replace(' ', '+')) ? text.replace(' ', '+') : Number.NaN);
  return Number.isNaN(time.getTime()) ? undefined : time;
}
