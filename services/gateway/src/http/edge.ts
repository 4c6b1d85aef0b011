import type { IncomingMessage } from 'node:http';
import type { AuthenticatedKey, Authenticator } from '@indelible/accounts';
import express, { type Express, type Request, type Response } from 'express';
import type { RateLimiter } from '../limits/rate-limiter.ts';
import { authenticate, requireScope, singleHeader } from './authenticate.ts';
import { type BodyTime, collectBody, hasBody, readBody } from './body.ts';
import type { Call, Handler } from './call.ts';
import { type ContentType, requireContentType } from './content-type.ts';
import { createCors } from './cors.ts';
import { createDescription } from './description.ts';
import type { ApiDocument, Operation, OperationId } from './document.ts';
import { ClientGoneError, HttpError, invalid } from './errors.ts';
import { parseQuery } from './query.ts';
import { createRateLimit } from './rate-limit.ts';
import { clientGoneStatus, type RequestLog } from './request-log.ts';
import { createRouter, type Route } from './routing.ts';
import { goneSignal, sendAnswer, sendError, sendPage } from './send.ts';
import { parseStrictJson } from './strict-json.ts';
import { traceOf } from './trace.ts';
import { isNeighbourFault, translateError } from './translate-error.ts';
import { createValidator, faultOfValidator } from './validator.ts';

/** What is known of a request on its way. */
type Exchange = {
  readonly began: number;
  readonly method: string;
  readonly trace: ReturnType<typeof traceOf>;
  /** What is answered without a route: no operation of the document. */
  aside: 'preflight' | 'description';
  query: Record<string, string>;
  route: Route;
  key: AuthenticatedKey;
  contentType: ContentType | undefined;
};

export type EdgeOptions = {
  readonly document: ApiDocument;
  readonly handlers: Readonly<Record<OperationId, Handler>>;
  readonly authenticator: Pick<Authenticator, 'authenticate'>;
  readonly rateLimiter: RateLimiter;
  readonly log: RequestLog;
  readonly body: BodyTime;
  readonly publicUrl: string | undefined;
  /** Origins whose scripts may use the API; none, and CORS is off. */
  readonly corsOrigins: readonly string[];
  readonly now: () => number;
};

const maxJsonBytes = 2 * 2 ** 20;
const json = 'application/json';

/**
 * The way of a request: route, headers, key, its rate and scope, and only then its body; JSON and queries are checked against
 * the document; then its operation. Whatever goes wrong on the way is answered `{error, details?}`.
 */
export function createEdge(options: EdgeOptions): Express {
  const { document, handlers, authenticator, log } = options;
  const route = createRouter(document);
  const limitRate = createRateLimit(options.rateLimiter);
  const cors = createCors(options.corsOrigins);
  const description = createDescription(document);
  const urlOf = (path: string): string => `${options.publicUrl ?? ''}${document.prefix}${path}`;
  const exchanges = new WeakMap<IncomingMessage, Partial<Exchange>>();
  const known = (request: IncomingMessage): Exchange => exchanges.get(request) as Exchange;
  const readAll = (request: Request, response: Response) => (maxBytes: number) =>
    readBody(request, response, { maxBytes, ...options.body });

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');

  app.use((request, response, next) => {
    const { method } = request;
    const exchange: Partial<Exchange> = { began: performance.now(), method, trace: traceOf(request) };
    exchanges.set(request, exchange);
    response.setHeader('X-Request-Id', exchange.trace?.requestId ?? '');
    const { headers, preflight } = cors(method, request.headers);
    response.setHeaders(new Map(Object.entries(headers)));
    if (preflight) {
      exchange.aside = 'preflight';
      response.writeHead(204).end();
      end(request, 204, undefined);
      return;
    }
    const [path = '', query = ''] = splitUrl(request.url);
    const page = description(method, path, query);
    if (page !== undefined) {
      exchange.aside = 'description';
      sendPage(response, page);
      end(request, 200, undefined);
      return;
    }
    const found = route(method, path);
    exchange.route = found;
    for (const [name, value] of deprecationHeaders(found.operation)) response.setHeader(name, value);
    // The validator finds its operation by this: the same one, whatever escapes and slashes the client wrote.
    request.originalUrl = canonicalUrl(document.prefix, found);
    // Node has noted already that a HEAD gets no body; from here on it is the GET it stands for.
    request.method = found.operation.method;
    requireIdentity(request);
    exchange.query = parseQuery(query);
    next();
  });

  app.use(async (request, response, next) => {
    const exchange = known(request);
    const { scope, bodyTypes, streamed } = exchange.route.operation;
    exchange.key = await authenticate(authenticator, request, options.now());
    await limitRate(exchange.key, response);
    requireScope(exchange.key, scope);
    if (bodyTypes.length > 0) exchange.contentType = requireContentType(request.headers['content-type'], bodyTypes);
    // The validator keeps something for every content type it sees: it sees only these.
    if (exchange.contentType?.type === json && !streamed) {
      request.body = parseStrictJson(await collectBody(readAll(request, response)(maxJsonBytes)));
      request.headers['content-type'] = json;
    } else delete request.headers['content-type'];
    // What the validator makes of the query is its own; operations read the strict one.
    Object.defineProperty(request, 'query', {
      value: forValidator(exchange.query),
      configurable: true,
      writable: true,
    });
    next();
  });

  for (const check of createValidator(document))
    app.use((request, response, next) => {
      const { contentType, query, route } = known(request);
      if (contentType === undefined || (contentType.type === json && !route.operation.streamed)) {
        check(request, response, next);
        return;
      }
      const [unknown] = Object.keys(query);
      if (unknown !== undefined) throw invalid(unknown, 'unknown query parameter');
      next();
    });

  app.use(async (request, response) => {
    const exchange = known(request);
    const call: Call = {
      account: exchange.key.account,
      params: exchange.route.params,
      query: exchange.query,
      json: exchange.contentType?.type === json ? request.body : undefined,
      contentType: exchange.contentType,
      header: (name) => headerOf(request, name),
      singleHeader: (name) => singleHeader(request, name),
      body: readAll(request, response),
      gone: goneSignal(response),
      urlOf,
      trace: exchange.trace,
    };
    const answer = await handlers[exchange.route.operation.id](call);
    await sendAnswer(response, answer);
    end(request, answer.status, undefined);
  });

  app.use(async (error: unknown, request: Request, response: Response, _next: unknown) => {
    if (error instanceof ClientGoneError || response.destroyed) {
      // An answer that broke off on our side is no client's doing, though nobody can be told.
      end(request, response.headersSent && isNeighbourFault(error) ? 503 : clientGoneStatus, error);
      return;
    }
    const answer = translateError(faultOfValidator(error));
    end(request, answer.status, answer.cause ?? answer);
    await sendError(request, response, answer);
  });

  /** Of a deprecated operation, on every answer (RFC 9745, RFC 8288). */
  function deprecationHeaders({ deprecation }: Operation): readonly (readonly [string, string])[] {
    if (deprecation === undefined) return [];
    return [
      ['Deprecation', `@${deprecation.since}`],
      ['Link', `<${urlOf(deprecation.successor)}>; rel="successor-version"`],
    ];
  }

  function end(request: IncomingMessage, status: number, error: unknown): void {
    const exchange = exchanges.get(request) ?? {};
    log({
      status,
      operation: exchange.route?.operation.id ?? exchange.aside ?? 'none',
      method: exchange.method ?? '',
      seconds: (performance.now() - (exchange.began ?? performance.now())) / 1000,
      requestId: exchange.trace?.requestId ?? '',
      account: exchange.key?.account,
      error,
    });
  }
  return app;
}

function splitUrl(url: string): [string, string] {
  const mark = url.indexOf('?');
  return mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
}

const canonicalUrl = (prefix: string, { operation, params }: Route): string =>
  `${prefix}/${operation.segments
    .map((segment) => (segment.startsWith('{') ? encodeURIComponent(params[segment.slice(1, -1)] ?? '') : segment))
    .join('/')}`;

function requireIdentity(request: IncomingMessage): void {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity' && hasBody(request))
    throw new HttpError(415, 'unsupported content encoding', { details: 'Content-Encoding must be identity' });
}

/** Booleans as the validator knows them; anything else stays for it to refuse. */
const forValidator = (query: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, booleans.get(value.toLowerCase()) ?? value]));

const booleans = new Map([
  ['true', 'true'],
  ['1', 'true'],
  ['false', 'false'],
  ['0', 'false'],
]);

const headerOf = (request: IncomingMessage, name: string): string | undefined => {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
};
