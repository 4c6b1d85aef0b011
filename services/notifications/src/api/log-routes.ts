import type { Database } from '@indelible/postgres';
import type { EventOrigin } from '@indelible/public-events';
import { fail, type RouteHandler } from '@indelible/service-runtime';
import express from 'express';
import { positionAt } from '../tables/log.ts';
import type { LogWatch } from '../tables/log-watch.ts';
import { followLogs } from '../use-cases/follow-logs.ts';
import { type EventPage, type ReadLogRows, readEvents } from '../use-cases/read-events.ts';
import { type EventQuery, readEventQuery } from './event-query.ts';
import { maxFollowBytes, readFollowQuery } from './follow-query.ts';

export type LogPorts = {
  readonly database: Pick<Database, 'query'>;
  readonly watch: LogWatch;
  readonly readLog: ReadLogRows;
  readonly origin: EventOrigin;
};

/** A page of an account's log; an empty one may wait for an event. */
export const readEventsRoute =
  (ports: LogPorts): RouteHandler =>
  async (request, response) => {
    const query = readEventQuery(request.query);
    if ('fault' in query) return fail(response, 400, 'invalid request', query.fault);
    const left = new AbortController();
    response.on('close', () => left.abort());
    const page = await pageOf(ports, query, left.signal);
    if (!left.signal.aborted) response.json(page);
  };

/** The new events of many accounts. */
export const followLogsRoute = (ports: LogPorts): RouteHandler => [
  express.json({ limit: maxFollowBytes }),
  async (request, response) => {
    const query = readFollowQuery(request.body);
    if ('fault' in query) return fail(response, 400, 'invalid request', query.fault);
    const left = new AbortController();
    response.on('close', () => left.abort());
    const found = await followLogs(ports, query, left.signal);
    if (!left.signal.aborted) response.json(found);
  },
];

/** The next page; if it is empty and the client waits, the first that is not. */
async function pageOf(ports: LogPorts, query: EventQuery, left: AbortSignal): Promise<EventPage> {
  const { database, watch, readLog, origin } = ports;
  const waiter = query.waitMs === 0 ? undefined : watch.expect(query.account);
  try {
    const ended = AbortSignal.any([left, AbortSignal.timeout(query.waitMs)]);
    let after = 'after' in query.from ? query.from.after : await positionAt(database, query.account, query.from.since);
    for (let waits = waiter !== undefined; ; ) {
      const page = await readEvents(readLog, { ...query, after }, origin);
      if (page.events.length > 0 || page.more || !waits) return page;
      after = page.next;
      waits = (await waiter?.woken(ended)) === true;
    }
  } finally {
    waiter?.close();
  }
}
