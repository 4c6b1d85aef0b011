import type { Database } from '@indelible/postgres';
import type { EventOrigin } from '@indelible/public-events';
import { isRetryable, type Logger } from '@indelible/service-runtime';
import express, { type ErrorRequestHandler, type Response, type Router } from 'express';
import { positionAt } from '../tables/log.ts';
import { type EventPage, type ReadLogRows, readEvents } from '../use-cases/read-events.ts';
import { type EventQuery, readEventQuery } from './event-query.ts';
import { followLogs } from './follow-logs.ts';
import { maxFollowBytes, readFollowQuery } from './follow-query.ts';
import type { LogWatch } from './log-watch.ts';

type Ports = {
  readonly database: Pick<Database, 'query'>;
  readonly watch: LogWatch;
  readonly readLog: ReadLogRows;
  readonly origin: EventOrigin;
  readonly logger: Logger;
};

/** The internal API. Its shapes are in this service's README. @param others whose faults are answered in the same way */
export function createRoutes(ports: Ports, ...others: readonly Router[]): Router {
  const router = express.Router();
  router.get('/internal/events', async (request, response) => {
    const query = readEventQuery(request.query);
    if ('fault' in query) return fail(response, 400, 'invalid request', query.fault);
    const left = new AbortController();
    response.on('close', () => left.abort());
    const page = await pageOf(ports, query, left.signal);
    if (!left.signal.aborted) response.json(page);
  });
  router.post('/internal/events/follow', express.json({ limit: maxFollowBytes }), async (request, response) => {
    const query = readFollowQuery(request.body);
    if ('fault' in query) return fail(response, 400, 'invalid request', query.fault);
    const left = new AbortController();
    response.on('close', () => left.abort());
    const found = await followLogs(ports, query, left.signal);
    if (!left.signal.aborted) response.json(found);
  });
  for (const other of others) router.use(other);
  router.use('/internal', (_request, response) => fail(response, 404, 'not found'));
  router.use(answerFault(ports.logger));
  return router;
}

/** The next page; when it would be empty, and the client waits, as soon as it is not. */
async function pageOf(ports: Ports, query: EventQuery, left: AbortSignal): Promise<EventPage> {
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

const answerFault =
  (logger: Logger): ErrorRequestHandler =>
  (error, _request, response, next) => {
    if (response.headersSent) return next(error);
    const status: unknown = error instanceof Error ? (error as { status?: unknown }).status : undefined;
    if (typeof status === 'number' && status >= 400 && status < 500) return fail(response, 400, 'invalid request');
    if (!isRetryable(error)) {
      logger.error({ err: error }, 'Query failed');
      return fail(response, 500, 'internal fault');
    }
    logger.warn({ err: error }, 'Query could not be answered now');
    response.set('Retry-After', '1');
    return fail(response, 503, 'not available now');
  };

const fail = (response: Response, status: number, error: string, details?: string): void =>
  void response.status(status).json({ error, ...(details === undefined ? {} : { details }) });
