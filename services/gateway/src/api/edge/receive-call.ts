import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Authenticator } from '@indelible/accounts';
import { invalid } from '../../errors/http-error.ts';
import { parseStrictJson } from '../../json/strict-json.ts';
import type { ByteBudget } from '../../limits/byte-budget.ts';
import { createPatience, patienceMs } from '../../limits/patience.ts';
import type { RateLimiter } from '../../limits/rate-limiter.ts';
import type { Admission } from './admission.ts';
import { authenticate, headerOf, keyFaultOf, requireScopes, singleHeader } from './authenticate.ts';
import { bytesAnnounced, readBody, readWholeBody } from './body.ts';
import type { Call } from './call.ts';
import { requireContentType } from './content-type.ts';
import type { ApiDocument } from './document.ts';
import type { Exchange } from './exchange.ts';
import type { FlowWatch } from './flow-watch.ts';
import type { createRateLimit } from './rate-limit.ts';
import type { Route } from './routing.ts';
import { goneSignal, whenGone } from './send.ts';
import { createValidator } from './validator.ts';

const maxJsonBytes = 2 * 2 ** 20;
const json = 'application/json';

export type CallPorts = {
  readonly document: ApiDocument;
  readonly authenticator: Pick<Authenticator, 'authenticate'>;
  readonly rateLimiter: Pick<RateLimiter, 'takeSome'>;
  readonly limitRate: ReturnType<typeof createRateLimit>;
  readonly admission: Pick<Admission, 'admit'>;
  readonly byteBudget: ByteBudget;
  readonly watch: FlowWatch;
  readonly urlOf: Call['urlOf'];
  readonly now: () => number;
};

/** Authenticates requests, checks the key's rate and scope, and only then the query and the body. */
export function createCalls(ports: CallPorts) {
  const { authenticator, watch } = ports;
  const validate = createValidator(ports.document);

  /** @throws HttpError, ClientGoneError; retryable errors of other services */
  return async (
    request: IncomingMessage,
    response: ServerResponse,
    exchange: Exchange,
    route: Route,
  ): Promise<Call> => {
    const { query, trace } = exchange;
    const { operation, params } = route;
    const patience = createPatience(patienceMs);
    const key = await patience(() => authenticate(authenticator, request, ports.now()));
    exchange.key = key;
    exchange.held = ports.byteBudget.of(key.account, (free) => atClose(response, free));
    ports.admission.admit(response, key.account);
    await ports.limitRate(key, response);
    requireScopes(key, operation.scopes);
    const { hold } = exchange.held;
    const wholeBody = (maxBytes: number): Promise<Buffer> =>
      readWholeBody(request, response, { maxBytes, watch, hold });
    const contentType =
      operation.bodyTypes.length > 0
        ? requireContentType(request.headers['content-type'], operation.bodyTypes)
        : undefined;
    let value: unknown;
    // Forms and lists are checked by their own readers.
    if (contentType !== undefined && (contentType.type !== json || operation.streamed)) {
      const unknown = Object.keys(query).find((name) => !operation.queryNames.has(name));
      if (unknown !== undefined) throw invalid(unknown, 'unknown query parameter');
    } else {
      if (contentType !== undefined) value = parseStrictJson(await wholeBody(maxJsonBytes));
      await validate(operation, { query, params, headers: request.headers, json: value });
    }
    let gone: AbortSignal | undefined;
    return {
      account: key.account,
      params,
      query,
      json: value,
      contentType,
      header: (name) => headerOf(request, name),
      singleHeader: (name) => singleHeader(request, name),
      body: (maxBytes, rests) => readBody(request, response, { maxBytes, watch, hold, ...(rests && { rests }) }),
      keyFault: () => keyFaultOf(authenticator, request, ports.now()),
      allow: (wanted, signal) => ports.rateLimiter.takeSome(key, wanted, signal),
      bodyBytes: bytesAnnounced(request),
      hold,
      wholeBody,
      get gone() {
        gone ??= goneSignal(response);
        return gone;
      },
      onGone: (ended) => whenGone(response, ended),
      patience,
      urlOf: ports.urlOf,
      trace,
    };
  };
}

function atClose(response: ServerResponse, done: () => void): void {
  if (response.closed || response.destroyed) done();
  else response.once('close', done);
}
