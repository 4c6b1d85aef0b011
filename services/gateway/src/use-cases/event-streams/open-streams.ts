import type { Hex } from '@indelible/identifiers';
import { type Component, createFairShare, type Logger, traceForLog } from '@indelible/service-runtime';
import { Counter, Gauge, type Registry } from 'prom-client';
import { unavailable } from '../../errors/http-error.ts';
import type { RequestTrace } from '../../request-trace.ts';
import type { FeedSeat, Feeds } from './feeds.ts';

/** Why a stream ends, and its last event. */
export type StreamEnd = {
  readonly reason: 'client' | 'slow' | 'key' | 'stop' | 'fault';
  readonly error: string;
  readonly details?: string;
};

/** A place among the open streams of this process. */
export type StreamPlace = {
  readonly seat: FeedSeat;
  /** Aborts when the stream must end, with a {@link StreamEnd} as reason. */
  readonly ended: AbortSignal;
  end(end: StreamEnd): void;
  /** Counts sent events. */
  sent(events: number): void;
  /** Frees the place at the end of the stream. */
  leave(): void;
};

export type StreamRequest = {
  /** A stream, or a page that waits like one. */
  readonly form: 'stream' | 'page';
  readonly account: Hex;
  readonly trace: RequestTrace;
  /** Why the key is no longer valid; undefined while it is. @throws while that cannot be known */
  readonly keyFault: () => Promise<string | undefined>;
};

export type OpenStreams = Component & {
  /** @throws HttpError 503 when the account has its share of the places, or the service stops */
  open(request: StreamRequest): StreamPlace;
  /** Ends every stream, and refuses further ones. */
  endAll(): void;
};

/** A revoked key is noticed after this and the time for which keys are cached. */
const keyCheckMs = 2_000;
/** Keys checked at once: few, to leave room for those of requests. */
const keysAtOnce = 100;

const stopped: StreamEnd = {
  reason: 'stop',
  error: 'the service restarts',
  details: 'connect again with Last-Event-ID',
};

/** The streams of this process and their limits: places shared by accounts, keys that stay valid, and a stop. */
export function createOpenStreams(options: {
  readonly feeds: Pick<Feeds, 'join'>;
  readonly maxStreams: number;
  readonly logger: Logger;
  readonly metrics: Registry;
}): OpenStreams {
  const { logger, metrics } = options;
  const places = createFairShare(options.maxStreams);
  const open = new Map<StreamPlace, StreamRequest>();
  let stopping = false;
  let timer: NodeJS.Timeout | undefined;
  new Gauge({
    name: 'indelible_gateway_event_streams',
    help: 'Open streams of events, and pages that wait for one',
    registers: [metrics],
    collect() {
      this.set(open.size);
    },
  });
  const ends = new Counter({
    name: 'indelible_gateway_event_streams_ended_total',
    help: 'Streams of events that ended, by why',
    labelNames: ['reason'],
    registers: [metrics],
  });
  const sentEvents = new Counter({
    name: 'indelible_gateway_events_sent_total',
    help: 'Events written to streams',
    registers: [metrics],
  });

  async function checkKey(place: StreamPlace, { keyFault }: StreamRequest): Promise<void> {
    try {
      const details = await keyFault();
      if (details !== undefined) place.end({ reason: 'key', error: 'unauthorized', details });
    } catch {
      // What cannot be checked now is retried.
    }
  }

  async function checkKeys(): Promise<void> {
    const all = [...open];
    for (let at = 0; at < all.length; at += keysAtOnce)
      await Promise.all(all.slice(at, at + keysAtOnce).map(([place, request]) => checkKey(place, request)));
    if (!stopping) timer = setTimeout(checkKeys, keyCheckMs).unref();
  }

  return {
    name: 'event streams',
    async start() {
      timer = setTimeout(checkKeys, keyCheckMs).unref();
    },
    async stop() {
      stopping = true;
      clearTimeout(timer);
    },
    open(request) {
      const { account, trace, form } = request;
      if (stopping) throw unavailable('the service is stopping');
      if (!places.take(account))
        throw unavailable('too many event streams at once; close some, or try again', { retryAfter: '5' });
      const ended = new AbortController();
      const began = performance.now();
      let events = 0;
      const seat = options.feeds.join(account);
      const place: StreamPlace = {
        seat,
        ended: ended.signal,
        end: (end) => ended.abort(end),
        sent(count) {
          events += count;
          sentEvents.inc(count);
        },
        leave() {
          if (!open.delete(place)) return;
          places.give(account);
          seat.leave();
          if (form === 'page') return;
          const { reason } = ended.signal.aborted ? (ended.signal.reason as StreamEnd) : { reason: 'client' };
          ends.inc({ reason });
          const durationMs = Math.round(performance.now() - began);
          const { requestId, traceparent } = trace;
          const fields = { account, requestId, ...traceForLog(traceparent), reason, durationMs, events };
          logger.info(fields, 'Event stream ended');
        },
      };
      open.set(place, request);
      return place;
    },
    endAll() {
      stopping = true;
      for (const place of open.keys()) place.end(stopped);
    },
  };
}
