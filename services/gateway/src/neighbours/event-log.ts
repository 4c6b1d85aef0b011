import type { Hex } from '@indelible/identifiers';
import type { CloudEvent } from '@indelible/public-events';
import type { InternalAddress } from '@indelible/service-runtime';
import type { EventFilter } from '../decisions/event-filter.ts';
import { requestJson } from './request-json.ts';

export type LoggedEvent = { readonly position: number; readonly event: CloudEvent };
export type LogPage = {
  readonly events: readonly LoggedEvent[];
  /** The position to continue from. */
  readonly next: number;
  /** Whether there may be more already. */
  readonly more: boolean;
};
export type LogNews = {
  /** For each account with news: its next events, and the position to continue from. */
  readonly logs: readonly { readonly account: Hex; readonly events: readonly LoggedEvent[]; readonly next: number }[];
  readonly more: boolean;
};

/** A position, or a time in ISO 8601. */
export type LogPlace = { readonly after: number } | { readonly since: string };

/** The durable log of public events, stored by notifications. */
export type EventLog = {
  /** An account's next events. @throws UnavailableError; the signal's reason */
  page(account: Hex, from: LogPlace, filter: EventFilter, limit: number, signal: AbortSignal): Promise<LogPage>;
  /**
   * Waits for new events of many accounts after their positions; for an account without one, returns the end of its
   * log. @throws UnavailableError; the signal's reason
   */
  follow(after: ReadonlyMap<Hex, number | undefined>, waitMs: number, signal: AbortSignal): Promise<LogNews>;
};

const service = 'notifications';
const timeoutMs = 10_000;

export const createEventLog = (notifications: InternalAddress): EventLog => ({
  async page(account, from, { types, collections }, limit, signal) {
    const query = new URLSearchParams({ account, limit: String(limit) });
    if ('after' in from) query.set('after', String(from.after));
    else query.set('since', from.since);
    if (types !== undefined) query.set('types', [...types].join());
    if (collections !== undefined) query.set('collections', [...collections].join());
    const request = { service, path: `/internal/events?${query}`, timeoutMs, signal };
    return (await requestJson<LogPage>(notifications, request)).body;
  },
  async follow(after, waitMs, signal) {
    const positions = Object.fromEntries([...after].map(([account, position]) => [account, position ?? null]));
    const { body } = await requestJson<LogNews>(notifications, {
      ...{ service, path: '/internal/events/follow', signal },
      body: { after: positions, wait: waitMs },
      timeoutMs: waitMs + timeoutMs,
    });
    return body;
  },
});
