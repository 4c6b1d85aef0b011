import { type Hex, parseCid } from '@indelible/identifiers';
import { eventNames } from '@indelible/public-events';
import { faultOfWebhookUrl, type UrlOptions } from '../webhook-requests/webhook-url.ts';
import type { WebhookChange, WebhookSettings } from '../webhooks/manage.ts';
import type { RedeliveryRequest } from '../webhooks/redeliver.ts';

export type Fault = { readonly fault: string };
type Body = Readonly<Record<string, unknown>>;

/** The gateway checks keys, types and lengths against its document; this checks what only this service knows. */
export function readCreation(body: unknown, rule: UrlOptions): WebhookSettings | Fault {
  const change = readChange(body, rule);
  if ('fault' in change) return change;
  const { url, types, collections = [], ordered = false, description = null } = change;
  if (url === undefined) return { fault: 'url: is required' };
  if (types === undefined) return { fault: 'types: is required' };
  return { url, types, collections, ordered, description };
}

export function readChange(body: unknown, rule: UrlOptions): WebhookChange | Fault {
  const given = givenOf(body);
  if (given === undefined) return { fault: 'body: must be an object' };
  const { url, types, collections, ordered, description, status } = given;
  if (url !== undefined) {
    if (typeof url !== 'string') return { fault: 'url: must be text' };
    const fault = faultOfWebhookUrl(url, rule);
    if (fault !== undefined) return { fault: `url: ${fault}` };
  }
  const names = types === undefined ? undefined : readTypes(types);
  if (names !== undefined && 'fault' in names) return names;
  const cids = collections === undefined ? undefined : readCollections(collections);
  if (cids !== undefined && 'fault' in cids) return cids;
  if (status !== undefined && status !== 'enabled' && status !== 'disabled')
    return { fault: 'status: must be enabled or disabled' };
  return {
    ...(url === undefined ? {} : { url: url as string }),
    ...(names === undefined ? {} : { types: names.types }),
    ...(cids === undefined ? {} : { collections: cids.collections }),
    ...(ordered === undefined ? {} : { ordered: ordered === true }),
    ...(description === undefined ? {} : { description: description === '' ? null : String(description) }),
    ...(status === undefined ? {} : { status }),
  };
}

export function readRedelivery(body: unknown): RedeliveryRequest | Fault {
  const { since, until, types } = givenOf(body) ?? {};
  const from = timeOf(since);
  if (from === undefined) return { fault: 'since: must be an ISO 8601 time with its offset' };
  const to = until === undefined ? null : timeOf(until);
  if (to === undefined) return { fault: 'until: must be an ISO 8601 time with its offset' };
  if (to !== null && to <= from) return { fault: 'until: must be later than since' };
  const names = types === undefined ? { types: null } : readTypes(types);
  return 'fault' in names ? names : { since: from, until: to, types: names.types };
}

function readTypes(value: unknown): { readonly types: readonly string[] } | Fault {
  if (!Array.isArray(value) || value.length === 0) return { fault: 'types: must be a list of one or more' };
  const unknown = value.find((name) => !eventNames.has(name as string));
  if (unknown !== undefined) return { fault: `types: not a type of event: ${String(unknown).slice(0, 50)}` };
  return { types: [...new Set(value as string[])] };
}

function readCollections(value: unknown): { readonly collections: readonly Hex[] } | Fault {
  const cids = Array.isArray(value)
    ? value.map((cid) => (typeof cid === 'string' ? parseCid(cid) : undefined))
    : [undefined];
  if (cids.includes(undefined)) return { fault: 'collections: must be a list of CIDs' };
  return { collections: [...new Set(cids as Hex[])] };
}

/** Omits keys with null: they count as missing. */
const givenOf = (body: unknown): Body | undefined =>
  typeof body === 'object' && body !== null && !Array.isArray(body)
    ? Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
    : undefined;

function timeOf(text: unknown): Date | undefined {
  const shape = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;
  const time = new Date(typeof text === 'string' && shape.test(text) ? text : Number.NaN);
  return Number.isNaN(time.getTime()) ? undefined : time;
}
