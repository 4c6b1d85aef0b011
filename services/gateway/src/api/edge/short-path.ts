import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AuthenticatedKey, Authenticator } from '@indelible/accounts';
import { createPatience, type Patience, patienceMs } from '../../limits/patience.ts';
import { readSmallForm, smallFormBytes } from '../forms/read-form.ts';
import type { FieldRules } from '../forms/receive-form.ts';
import { idempotencyKeyOf, type StampAnswering, type StampCall } from '../routes/answer-stamp.ts';
import type { Admission } from './admission.ts';
import { headerOf, knownKey, requireScopes, singleHeader } from './authenticate.ts';
import { bytesAnnounced, readWholeBody } from './body.ts';
import type { createCors } from './cors.ts';
import type { ApiDocument } from './document.ts';
import type { Exchange, Exchanges } from './exchange.ts';
import type { FlowWatch } from './flow-watch.ts';
import type { createRateLimit } from './rate-limit.ts';
import { createRouter } from './routing.ts';
import { goneSignal, sendSmall, whenGone } from './send.ts';

/** The short path's operation: the rules of its form, and its handler. */
export type ShortPathRoute = { readonly rules: FieldRules; readonly answer: StampAnswering };

export type ShortPathOptions = {
  readonly route: ShortPathRoute;
  readonly document: ApiDocument;
  readonly authenticator: Pick<Authenticator, 'known'>;
  readonly admission: Pick<Admission, 'admit'>;
  readonly watch: FlowWatch;
  readonly now: () => number;
  readonly exchanges: Exchanges;
  readonly limitRate: ReturnType<typeof createRateLimit>;
  readonly cors: ReturnType<typeof createCors>;
  readonly urlOf: (path: string) => string;
};

/** As clients write it. The edge serves other spellings. */
const formTypes: ReadonlySet<string> = new Set([
  'application/x-www-form-urlencoded',
  'application/x-www-form-urlencoded;charset=UTF-8',
  'application/x-www-form-urlencoded; charset=utf-8',
]);

/**
 * A shorter path for ordinary stamp requests: a small urlencoded form with a cached key. It has the edge's steps in the
 * edge's order, with the same functions (docs/adr/0036-short-path.md). The edge serves requests with doubtful headers,
 * and responds to errors.
 * @returns undefined for any other request
 */
export function createShortPath(
  options: ShortPathOptions,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> | undefined {
  const { admission, watch, exchanges } = options;
  const { answer, rules } = options.route;
  const path = `${options.document.prefix}/stamps`;
  const found = createRouter(options.document)('POST', path);
  const { scopes } = found.operation;

  async function serve(request: IncomingMessage, response: ServerResponse, key: AuthenticatedKey): Promise<void> {
    const exchange = exchanges.begin(request, response);
    const { headers: corsHeaders } = options.cors('POST', request.headers);
    for (const name in corsHeaders) response.setHeader(name, corsHeaders[name] as string);
    exchanges.found(exchange, found);
    exchange.key = key;
    admission.admit(response, key.account);
    const limiting = options.limitRate(key, response);
    if (limiting !== undefined) await limiting;
    requireScopes(key, scopes);
    const idempotencyKey = idempotencyKeyOf(singleHeader(request, 'Idempotency-Key'));
    const body = await readWholeBody(request, response, { maxBytes: smallFormBytes, watch, hold: holdsNothing });
    const call = new ShortPathCall(request, response, exchange, key, options.urlOf);
    const { status, body: json, headers } = await answer(call, idempotencyKey, readSmallForm(body, rules));
    sendSmall(response, { status, text: JSON.stringify(json), headers }, watch);
    exchanges.end(exchange, status, undefined);
  }

  return (request, response) => {
    if (request.url !== path || request.method !== 'POST' || !isUsual(request)) return undefined;
    const key = knownKey(options.authenticator, request, options.now());
    return key && serve(request, response, key);
  };
}

function isUsual(request: IncomingMessage): boolean {
  const { headers } = request;
  const announced = bytesAnnounced(request);
  return (
    announced !== undefined &&
    announced > 0 &&
    announced <= smallFormBytes &&
    headers.expect === undefined &&
    headers.origin === undefined &&
    headers['content-encoding'] === undefined &&
    formTypes.has(headers['content-type'] ?? '')
  );
}

/** So small a body is not counted. */
const holdsNothing = (): void => {};

/** A stamp request after its form, as its operation sees it; rarely needed parts are made on demand. */
class ShortPathCall implements StampCall {
  readonly account: StampCall['account'];
  readonly trace: StampCall['trace'];
  readonly urlOf: StampCall['urlOf'];
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  #gone: AbortSignal | undefined;
  #patience: Patience | undefined;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    { trace }: Exchange,
    { account }: AuthenticatedKey,
    urlOf: StampCall['urlOf'],
  ) {
    this.account = account;
    this.trace = trace;
    this.urlOf = urlOf;
    this.#request = request;
    this.#response = response;
  }
  header(name: string): string | undefined {
    return headerOf(this.#request, name);
  }
  get gone(): AbortSignal {
    this.#gone ??= goneSignal(this.#response);
    return this.#gone;
  }
  onGone(ended: () => void): void {
    whenGone(this.#response, ended);
  }
  get patience(): Patience {
    this.#patience ??= createPatience(patienceMs);
    return this.#patience;
  }
}
