import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Authenticator } from '@indelible/accounts';
import type { Tracing } from '@indelible/service-runtime';
import express, { type Request, type Response } from 'express';
import type { ByteBudget } from '../limits/byte-budget.ts';
import { createPatience, patienceMs } from '../limits/patience.ts';
import type { RateLimiter } from '../limits/rate-limiter.ts';
import type { Admission } from './admission.ts';
import { authenticate, headerOf, keyFaultOf, requireScopes, singleHeader } from './authenticate.ts';
import { bytesAnnounced, hasBody, readBody, readWholeBody } from './body.ts';
import { type Call, type Handler, LiveEvents } from './call.ts';
import { requireContentType } from './content-type.ts';
import { createCors } from './cors.ts';
import { createDescription } from './description.ts';
import type { ApiDocument, Operation, OperationId } from './document.ts';
import { ClientGoneError, HttpError, invalid } from './errors.ts';
import { createExchanges, type Exchange, exchangeOn } from './exchange.ts';
import type { FlowWatch } from './flow-watch.ts';
import { parseQuery } from './query.ts';
import { createRateLimit } from './rate-limit.ts';
import { clientGoneStatus, type RequestLog } from './request-log.ts';
import { createRouter, type Route } from './routing.ts';
import { goneSignal, sendAnswer, sendError, sendPage, whenGone } from './send.ts';
import { sendEvents } from './send-events.ts';
import { createStraightStamps, type StraightStampRoute } from './straight-stamps.ts';
import { parseStrictJson } from './strict-json.ts';
import { isNeighbourFault, translateError } from './translate-error.ts';
import { createValidator, faultOfValidator } from './validator.ts';

export type EdgeOptions = {
  readonly document: ApiDocument;
  readonly handlers: Readonly<Record<OperationId, Handler>>;
  /** Stamps of the usual shapes, past express; undefined: they go the way of all others. */
  readonly straightStamps: StraightStampRoute | undefined;
  readonly authenticator: Pick<Authenticator, 'authenticate' | 'known'>;
  readonly rateLimiter: RateLimiter;
  readonly admission: Pick<Admission, 'admit' | 'leave'>;
  readonly byteBudget: ByteBudget;
  readonly log: RequestLog;
  readonly tracing: Pick<Tracing, 'on' | 'samples' | 'begin'>;
  readonly watch: FlowWatch;
  readonly publicUrl: string | undefined;
  /** What documents of the API name in its place: one that holds at least on this machine. */
  readonly shownUrl: string;
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
export function createEdge(options: EdgeOptions): RequestListener {
  const { document, handlers, authenticator, watch, straightStamps } = options;
  const exchanges = createExchanges(options);
  const route = createRouter(document);
  const limitRate = createRateLimit(options.rateLimiter);
  const cors = createCors(options.corsOrigins);
  const description = createDescription(document, options.shownUrl);
  const urlOf = (path: string): string => `${options.publicUrl ?? ''}${document.prefix}${path}`;
  const checks = createValidator(document);

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');

  app.use(async (request: Request, response) => {
    const { method } = request;
    const exchange = exchanges.begin(request, response);
    const { headers, preflight } = cors(method, request.headers);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (preflight) {
      exchange.aside = 'preflight';
      response.writeHead(204).end();
      exchanges.end(exchange, 204, undefined);
      return;
    }
    const [path = '', query = ''] = splitUrl(request.url);
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
    // Node has noted already that a HEAD gets no body; from here on it is the GET it stands for.
    request.method = found.operation.method;
    requireIdentity(request);
    exchange.query = parseQuery(query);
    const call = await callOf(request, response, exchange, found);
    const answer = await handlers[found.operation.id](call);
    if (answer.body instanceof LiveEvents) {
      // Streams have places of their own, and are no requests under way.
      options.admission.leave(response);
      exchanges.end(exchange, answer.status, undefined);
      await sendEvents(response, answer.body, watch, method === 'HEAD');
      return;
    }
    await sendAnswer(response, { ...answer, body: answer.body }, watch, call.hold);
    exchanges.end(exchange, answer.status, undefined);
  });

  /** Authenticates and checks what was asked, the body last. */
  async function callOf(request: Request, response: Response, exchange: Exchange, route: Route): Promise<Call> {
    const { query, trace } = exchange;
    const { scopes, bodyTypes, streamed } = route.operation;
    const patience = createPatience(patienceMs);
    const key = await patience(() => authenticate(authenticator, request, options.now()));
    exchange.key = key;
    exchange.held = options.byteBudget.of(key.account, (free) => atClose(response, free));
    options.admission.admit(response, key.account);
    await limitRate(key, response);
    requireScopes(key, scopes);
    const contentType =
      bodyTypes.length > 0 ? requireContentType(request.headers['content-type'], bodyTypes) : undefined;
    const isJson = contentType?.type === json;
    const { hold } = exchange.held;
    // Forms and lists are read by their own readers.
    if (contentType !== undefined && (!isJson || streamed)) {
      const unknown = Object.keys(query).find((name) => !route.operation.queryNames.has(name));
      if (unknown !== undefined) throw invalid(unknown, 'unknown query parameter');
    } else {
      if (isJson)
        request.body = parseStrictJson(await readWholeBody(request, response, { maxBytes: maxJsonBytes, watch, hold }));
      await validate(request, response, { route, query }, isJson);
    }
    let gone: AbortSignal | undefined;
    return {
      account: key.account,
      params: route.params,
      query,
      json: isJson ? request.body : undefined,
      contentType,
      header: (name) => headerOf(request, name),
      singleHeader: (name) => singleHeader(request, name),
      body: (maxBytes, rests) => readBody(request, response, { maxBytes, watch, hold, ...(rests && { rests }) }),
      keyFault: () => keyFaultOf(authenticator, request, options.now()),
      allow: (wanted, signal) => options.rateLimiter.takeSome(key, wanted, signal),
      bodyBytes: bytesAnnounced(request),
      hold,
      wholeBody: (maxBytes) => readWholeBody(request, response, { maxBytes, watch, hold }),
      get gone() {
        gone ??= goneSignal(response);
        return gone;
      },
      onGone: (ended) => whenGone(response, ended),
      patience,
      urlOf,
      trace,
    };
  }

  /** Against the document. @throws what the validator finds */
  async function validate(
    request: Request,
    response: Response,
    { route, query }: Pick<Call, 'query'> & { readonly route: Route },
    isJson: boolean,
  ): Promise<void> {
    // The validator finds its operation by this: the same one, whatever escapes and slashes the client wrote.
    request.originalUrl = canonicalUrl(document.prefix, route);
    // It keeps something for every content type it sees: it sees only this one.
    if (isJson) request.headers['content-type'] = json;
    else delete request.headers['content-type'];
    // What it makes of the query is its own; operations read the strict one.
    Object.defineProperty(request, 'query', {
      value: forValidator(query, route.operation.booleanNames),
      configurable: true,
      writable: true,
    });
    for (const check of checks)
      await new Promise<void>((resolve, reject) => {
        check(request, response, (fault?: unknown) => (fault === undefined ? resolve() : reject(fault as Error)));
      });
  }

  app.use(async (error: unknown, request: Request, response: Response, _next: unknown) => {
    await fail(error, request, response);
  });

  /** Whatever went wrong on the way. */
  async function fail(error: unknown, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const exchange = exchangeOn(request) ?? exchanges.begin(request, response);
    if (error instanceof ClientGoneError || response.destroyed) {
      // An answer that broke off on our side is no client's doing, though nobody can be told.
      exchanges.end(exchange, response.headersSent && isNeighbourFault(error) ? 503 : clientGoneStatus, error);
      return;
    }
    const answer = translateError(faultOfValidator(error, exchange.route?.operation.segments));
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

  if (straightStamps === undefined) return app;
  const goesStraight = createStraightStamps({
    ...options,
    route: straightStamps,
    exchanges,
    limitRate,
    cors,
    urlOf,
    fail,
  });
  return (request, response) => {
    if (!goesStraight(request, response)) app(request, response);
  };
}

/** Path and query of a request target, which proxies write in absolute form (RFC 9112, 3.2.2). */
function splitUrl(target: string): [string, string] {
  const url = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '');
  const mark = url.indexOf('?');
  return mark < 0 ? [url || '/', ''] : [url.slice(0, mark) || '/', url.slice(mark + 1)];
}

function atClose(response: Response, done: () => void): void {
  if (response.closed || response.destroyed) done();
  else response.once('close', done);
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
const forValidator = (
  query: Readonly<Record<string, string>>,
  booleanNames: ReadonlySet<string>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      name,
      booleanNames.has(name) ? (booleans.get(value.toLowerCase()) ?? value) : value,
    ]),
  );

const booleans = new Map([
  ['true', 'true'],
  ['1', 'true'],
  ['false', 'false'],
  ['0', 'false'],
]);
