import type { Hex } from '@indelible/identifiers';
import type { CloudEvent } from '@indelible/public-events';
import { type InternalAddress, UnavailableError } from '@indelible/service-runtime';
import type { EventFilter } from '../events/event-filter.ts';

export type LoggedEvent = { readonly position: number; readonly event: CloudEvent };
export type LogPage = {
  readonly events: readonly LoggedEvent[];
  /** The position after which to read on. */
  readonly next: number;
  /** Whether there may be more already. */
  readonly more: boolean;
};
export type LogNews = {
  /** Of each account that has news: its next events, and the position after which to read on. */
  readonly logs: readonly { readonly account: Hex; readonly events: readonly LoggedEvent[]; readonly next: number }[];
  readonly more: boolean;
};

/** A position, or a time in ISO 8601. */
export type LogPlace = { readonly after: number } | { readonly since: string };

/** The durable log of public events, which notifications keeps. */
export type EventLog = {
  /** An account's next events. @throws UnavailableError; the signal's reason */
  page(account: Hex, from: LogPlace, filter: EventFilter, limit: number, signal: AbortSignal): Promise<LogPage>;
  /**
   * What many accounts' logs have gained behind their positions, as soon as there is something; of an account without a position where its
   * log ends. @throws UnavailableError; the signal's reason
   */
  follow(after: ReadonlyMap<Hex, number | undefined>, waitMs: number, signal: AbortSignal): Promise<LogNews>;
};

const timeoutMs = 10_000;

export function createEventLog(notifications: InternalAddress): EventLog {
  async function request<Body>(
    path: string,
    init: { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: string },
    waitMs: number,
    signal: AbortSignal,
  ): Promise<Body> {
    const timely = AbortSignal.any([signal, AbortSignal.timeout(waitMs + timeoutMs)]);
    try {
      const response = await fetch(`${notifications.url}/internal/events${path}`, {
        ...init,
        headers: { ...notifications.headers, ...init.headers },
        signal: timely,
      });
      if (response.ok) return (await response.json()) as Body;
      await response.body?.cancel();
      throw new UnavailableError(`notifications answered ${response.status}`);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof UnavailableError) throw error;
      throw new UnavailableError('notifications does not answer', { cause: error });
    }
  }
  return {
    page: (account, from, { types, collections }, limit, signal) => {
      const query = new URLSearchParams({ account, limit: String(limit) });
      if ('after' in from) query.set('after', String(from.after));
      else query.set('since', from.since);
      if (types !== undefined) query.set('types', [...types].join());
      if (collections !== undefined) query.set('collections', [...collections].join());
      return request(`?${query}`, {}, 0, signal);
    },
    follow: (after, waitMs, signal) => {
      const positions = Object.fromEntries([...after].map(([account, position]) => [account, position ?? null]));
      const body = JSON.stringify({ after: positions, wait: waitMs });
      const headers = { 'Content-Type': 'application/json' };
      return request('/follow', { method: 'POST', headers, body }, waitMs, signal);
    },
  };
}
