import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AuthenticatedKey } from '@indelible/accounts';
import { type Span, type Tracing, withDecision } from '@indelible/service-runtime';
import type { HeldBytes } from '../../limits/byte-budget.ts';
import type { ApiDocument } from './document.ts';
import type { RequestLog } from './request-log.ts';
import type { Route } from './routing.ts';
import { traceOf } from './trace.ts';

/** What is known of a request in flight. */
export type Exchange = {
  readonly began: number;
  readonly method: string;
  trace: ReturnType<typeof traceOf>;
  /** Undefined while the request is not traced. */
  span: Span | undefined;
  /** What is answered without a route: no operation of the document. */
  aside: 'preflight' | 'description' | undefined;
  query: Record<string, string>;
  route: Route | undefined;
  key: AuthenticatedKey | undefined;
  held: HeldBytes | undefined;
};

/** On the request itself: V8 scans all entries of a weak map at each collection. */
const exchangeOf = Symbol('exchange');
type Noted = IncomingMessage & { [exchangeOf]?: Exchange };

/** The exchange of a request that {@link Exchanges} began; undefined before. */
export const exchangeOn = (request: IncomingMessage): Exchange | undefined => (request as Noted)[exchangeOf];

/** A request's beginning and end: its ids, its span, its line in the log and its counts. */
export function createExchanges(options: {
  readonly document: Pick<ApiDocument, 'prefix'>;
  readonly log: RequestLog;
  readonly tracing: Pick<Tracing, 'on' | 'samples' | 'begin'>;
}) {
  const { document, log, tracing } = options;

  /** Starts the span of the request, or decides that it has none. */
  function beginSpan(exchange: Exchange, { operation }: Route): void {
    const { trace, method, began } = exchange;
    const { traceparent } = trace;
    const isTraced = tracing.samples(traceparent);
    const parent = traceparent === undefined ? undefined : withDecision(traceparent, isTraced);
    const path = `${document.prefix}/${operation.segments.join('/')}`;
    exchange.span = isTraced
      ? tracing.begin(parent, {
          name: `${method} ${path}`,
          kind: 'server',
          attributes: { 'http.request.method': method, 'http.route': path, 'indelible.request_id': trace.requestId },
          startedAt: performance.timeOrigin + began,
        })
      : undefined;
    const carried = exchange.span?.traceparent ?? parent;
    exchange.trace = { requestId: trace.requestId, ...(carried === undefined ? {} : { traceparent: carried }) };
  }

  return {
    begin(request: IncomingMessage, response: ServerResponse): Exchange {
      const exchange: Exchange = {
        began: performance.now(),
        method: request.method ?? '',
        trace: traceOf(request),
        span: undefined,
        aside: undefined,
        query: {},
        route: undefined,
        key: undefined,
        held: undefined,
      };
      (request as Noted)[exchangeOf] = exchange;
      response.setHeader('X-Request-Id', exchange.trace.requestId);
      return exchange;
    },
    /** The operation is known. */
    found(exchange: Exchange, route: Route): void {
      exchange.route = route;
      if (tracing.on) beginSpan(exchange, route);
    },
    /** To be called once, with the status that is answered. */
    end(exchange: Exchange, status: number, error: unknown): void {
      exchange.span?.end({ 'http.response.status_code': status }, status >= 500 ? 'failed' : undefined);
      log({
        status,
        operation: exchange.route?.operation.id ?? exchange.aside ?? 'none',
        method: exchange.method,
        seconds: (performance.now() - exchange.began) / 1000,
        requestId: exchange.trace.requestId,
        traceparent: exchange.trace.traceparent,
        account: exchange.key?.account,
        error,
      });
    },
  };
}

export type Exchanges = ReturnType<typeof createExchanges>;
