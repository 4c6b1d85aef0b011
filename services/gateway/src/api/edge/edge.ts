import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Authenticator } from '@indelible/accounts';
import type { Tracing } from '@indelible/service-runtime';
import express, { type NextFunction, type Request, type Response } from 'express';
import { ClientGoneError, HttpError } from '../../errors/http-error.ts';
import { isNeighbourFault, translateError } from '../../errors/translate-error.ts';
import type { ByteBudget } from '../../limits/byte-budget.ts';
import type { RateLimiter } from '../../limits/rate-limiter.ts';
import { createDescription } from '../pages/description.ts';
import type { Admission } from './admission.ts';
import { hasBody } from './body.ts';
import { type Handler, LiveEvents } from './call.ts';
import { createCors } from './cors.ts';
import type { ApiDocument, Operation, OperationId } from './document.ts';
import { createExchanges, exchangeOn } from './exchange.ts';
import type { FlowWatch } from './flow-watch.ts';
import { parseQuery } from './query.ts';
import { createRateLimit } from './rate-limit.ts';
import { createCalls } from './receive-call.ts';
import { clientGoneStatus, type RequestLog } from './request-log.ts';
import { createRouter, splitTarget } from './routing.ts';
import { sendAnswer, sendError, sendPage } from './send.ts';
import { sendEvents } from './send-events.ts';
import { createShortPath, type ShortPathRoute } from './short-path.ts';

export type EdgeOptions = {
  readonly document: ApiDocument;
  readonly handlers: Readonly<Record<OperationId, Handler>>;
  /** The shorter path for ordinary stamp requests; undefined: they take the path of all other requests. */
  readonly shortPath: ShortPathRoute | undefined;
  readonly authenticator: Pick<Authenticator, 'authenticate' | 'known'>;
  readonly rateLimiter: RateLimiter;
  readonly admission: Pick<Admission, 'admit' | 'leave'>;
  readonly byteBudget: ByteBudget;
  readonly log: RequestLog;
  readonly tracing: Pick<Tracing, 'on' | 'samples' | 'begin'>;
  readonly watch: FlowWatch;
  readonly publicUrl: string | undefined;
  /** The API's URL in its documents: valid at least on this machine. */
  readonly shownUrl: string;
  /** Origins whose scripts may use the API; none, and CORS is off. */
  readonly corsOrigins: readonly string[];
  readonly now: () => number;
};

/**
 * The path of a request: route, headers, key, its rate and scope, and only then its body; JSON and queries are checked against
 * the document; then its operation. Every error is answered `{error, details?}`.
 */
export function createEdge(options: EdgeOptions): RequestListener {
  const { document, handlers, watch, shortPath } = options;
  const exchanges = createExchanges(options);
  const route = createRouter(document);
  const limitRate = createRateLimit(options.rateLimiter);
  const cors = createCors(options.corsOrigins);
  const description = createDescription(document, options.shownUrl);
  const urlOf = (path: string): string => `${options.publicUrl ?? ''}${document.prefix}${path}`;
  const callOf = createCalls({ ...options, limitRate, urlOf });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '' } = request;
    const exchange = exchanges.begin(request, response);
    const { headers, preflight } = cors(method, request.headers);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (preflight) {
      exchange.aside = 'preflight';
      response.writeHead(204).end();
      exchanges.end(exchange, 204, undefined);
      return;
    }
    const [path, query] = splitTarget(request.url ?? '/');
    const page = description(method, path, query);
    if (page !== undefined) {
      exchange.aside = 'description';
      await sendPage(response, page, watch);
      exchanges.end(exchange, page.status, undefined);
      return;
    }
    const found = route(method, path);
    exchanges.found(exchange, found);
    for (const [name, value] of deprecationHeaders(found.operation)) response.setHeader(name, value);
    requireIdentity(request);
    exchange.query = parseQuery(query);
    const call = await callOf(request, response, exchange, found);
    const answer = await handlers[found.operation.id](call);
    if (answer.body instanceof LiveEvents) {
      // Streams have their own places, and do not count as requests in flight.
      options.admission.leave(response);
      exchanges.end(exchange, answer.status, undefined);
      await sendEvents(response, answer.body, watch, method === 'HEAD');
      return;
    }
    await sendAnswer(response, { ...answer, body: answer.body }, watch, call.hold);
    exchanges.end(exchange, answer.status, undefined);
  }

  /** Answers an error, unless the client has left. */
  async function fail(error: unknown, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const exchange = exchangeOn(request) ?? exchanges.begin(request, response);
    if (error instanceof ClientGoneError || response.destroyed) {
      // A response that broke off by our fault is no disconnect of the client.
      exchanges.end(exchange, response.headersSent && isNeighbourFault(error) ? 503 : clientGoneStatus, error);
      return;
    }
    const answer = translateError(error);
    exchanges.end(exchange, answer.status, answer.cause ?? answer);
    await sendError(request, response, answer);
  }

  /** Of a deprecated operation, on every answer (RFC 9745, RFC 8288). */
  function deprecationHeaders({ deprecation }: Operation): readonly (readonly [string, string])[] {
    if (deprecation === undefined) return [];
    return [
      ['Deprecation', `@${deprecation.since}`],
      ['Link', `<${urlOf(deprecation.successor)}>; rel="successor-version"`],
    ];
  }

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use(serve);
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) =>
    fail(error, request, response),
  );
  const serveShort = shortPath && createShortPath({ ...options, route: shortPath, exchanges, limitRate, cors, urlOf });
  return (request, response) => {
    const serving = serveShort?.(request, response);
    if (serving === undefined) app(request, response);
    else serving.catch((error: unknown) => fail(error, request, response)).catch(() => response.destroy());
  };
}

function requireIdentity(request: IncomingMessage): void {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity' && hasBody(request))
    throw new HttpError(415, 'unsupported content encoding', { details: 'Content-Encoding must be identity' });
}
