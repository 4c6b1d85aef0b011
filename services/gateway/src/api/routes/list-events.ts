import { createFairQueue, type Logger, traceForLog, UnavailableError } from '@indelible/service-runtime';
import { type EventRequest, readEventQuery } from '../../decisions/read-event-query.ts';
import { invalid } from '../../errors/http-error.ts';
import type { EventLog, LogPage } from '../../neighbours/event-log.ts';
import { createEventStream, type StreamPorts } from '../../use-cases/event-streams/event-stream.ts';
import type { OpenStreams, StreamPlace } from '../../use-cases/event-streams/open-streams.ts';
import { readerOf } from '../../use-cases/event-streams/ring.ts';
import { type Answer, type Call, type Handler, LiveEvents } from '../edge/call.ts';
import type { components } from '../generated/openapi.ts';

export type EventPorts = {
  readonly log: Pick<EventLog, 'page'>;
  readonly streams: Pick<OpenStreams, 'open'>;
  readonly heartbeatMs: number;
  readonly logger: Logger;
};

/** How many clients that are behind read the log at once; others wait for their turn. */
const logReaders = 16;
/** How long a stream may wait for the end of the log before it is refused. */
const startMs = 5_000;

/** GET /events: the account's own events, as a stream or as pages. */
export function listEventsRoute(ports: EventPorts): Handler {
  const inFairTurns = createFairQueue(logReaders);
  return async (call) => {
    const request = readEventQuery(call.query, {
      lastEventId: call.singleHeader('Last-Event-ID'),
      accept: call.header('accept'),
    });
    if ('fault' in request) throw invalid(request.fault.name, request.fault.text);
    return request.form === 'page' ? pageOf(ports, call, request) : streamOf({ ...ports, inFairTurns }, call, request);
  };
}

async function streamOf(
  ports: EventPorts & StreamPorts,
  call: Call,
  request: EventRequest & { form: 'stream' },
): Promise<Answer> {
  const { account, keyFault, trace } = call;
  const place = ports.streams.open({ form: 'stream', account, keyFault, trace });
  try {
    const from = request.from ?? { after: await endOfLog(place, call.gone) };
    const stream = createEventStream(ports, { account, from, filter: request.filter, place });
    const onFault = (error: unknown): void =>
      ports.logger.error(
        { err: error, account, requestId: trace.requestId, ...traceForLog(trace.traceparent) },
        'Event stream failed',
      );
    return { status: 200, body: new LiveEvents({ stream, place, heartbeatMs: ports.heartbeatMs, onFault }) };
  } catch (error) {
    place.leave();
    throw error;
  }
}

/** Position of the end of the log. @throws UnavailableError when notifications does not respond in time */
async function endOfLog(place: StreamPlace, gone: AbortSignal): Promise<number> {
  try {
    return await place.seat.end(AbortSignal.any([gone, place.ended, AbortSignal.timeout(startMs)]));
  } catch (cause) {
    throw new UnavailableError('notifications does not answer', { cause });
  }
}

async function pageOf(ports: EventPorts, call: Call, request: EventRequest & { form: 'page' }): Promise<Answer> {
  const { from, filter, limit, waitMs } = request;
  const page = await ports.log.page(call.account, from, filter, limit, call.gone);
  const isDone = page.events.length > 0 || page.more || waitMs === 0;
  return answerOf(isDone ? page : await nextPage(ports, call, request, page.next));
}

/** The first page that is not empty, or an empty one when the wait is over. */
async function nextPage(
  ports: EventPorts,
  call: Call,
  { filter, limit, waitMs }: EventRequest & { form: 'page' },
  from: number,
): Promise<LogPage> {
  const { account, keyFault, trace } = call;
  const place = ports.streams.open({ form: 'page', account, keyFault, trace });
  const over = AbortSignal.any([call.gone, place.ended, AbortSignal.timeout(waitMs)]);
  const reader = readerOf(filter);
  try {
    for (let after = from; ; ) {
      await place.seat.news(after, over);
      if (over.aborted) return { events: [], next: after, more: false };
      const piece = place.seat.read(after, reader);
      if (piece === undefined || piece.bytes !== undefined) {
        const page = await ports.log.page(account, { after }, filter, limit, call.gone);
        if (page.events.length > 0 || page.more) return page;
        after = page.next;
      } else after = piece.next;
    }
  } finally {
    place.leave();
  }
}

function answerOf({ events, next, more }: LogPage): Answer {
  const body: components['schemas']['EventPage'] = {
    events: events.map(({ event }) => event),
    next: String(next),
    more,
  };
  return { status: 200, body };
}
