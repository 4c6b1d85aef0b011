import type { IncomingHttpHeaders } from 'node:http';
import express, { type RequestHandler, type Response } from 'express';
import * as openApiValidator from 'express-openapi-validator';
import { HttpError } from '../../errors/http-error.ts';
import type { ApiDocument, Operation } from './document.ts';

/** What of a request is checked against its operation. */
export type RequestParts = {
  readonly query: Readonly<Record<string, string>>;
  readonly params: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  /** The JSON body; the document's defaults are added to it. */
  readonly json?: unknown;
};

/** Rejects with HttpError: 400 naming what violates the document, 404 for an id that is no UUID. */
export type Validator = (operation: Operation, parts: RequestParts) => Promise<void>;

/** Checks queries, path parameters, headers and JSON bodies against the document; forms are checked by their own reader. */
export function createValidator(document: ApiDocument): Validator {
  const handlers = openApiValidator.middleware({
    apiSpec: document.copy(),
    validateApiSpec: true,
    validateRequests: { allowUnknownQueryParameters: false },
    validateResponses: false,
    validateSecurity: false,
    fileUploader: false,
  }) as unknown as readonly RequestHandler[];
  const app = express();

  return async (operation, parts) => {
    // The library reads `limit[]` as `limit`.
    const unknown = Object.keys(parts.query).find((name) => !operation.queryNames.has(name));
    if (unknown !== undefined) throw refusal([`${unknown}: Unknown query parameter '${unknown}'`]);
    const request = { app, ...requestOf(document.prefix, operation, parts) } as unknown as express.Request;
    for (const handler of handlers)
      await new Promise<void>((resolve, reject) => {
        handler(request, {} as Response, (fault?: unknown) =>
          fault === undefined ? resolve() : reject(faultOf(fault, operation)),
        );
      });
  };
}

/** The parts in the library's form, however the client wrote escapes, slashes and content type parameters. */
function requestOf(prefix: string, operation: Operation, { query, params, headers, json }: RequestParts) {
  const segments = operation.segments.map((segment) =>
    segment.startsWith('{') ? encodeURIComponent(params[segment.slice(1, -1)] ?? '') : segment,
  );
  const url = `${prefix}/${segments.join('/')}`;
  const { 'content-type': _, ...others } = headers;
  return {
    method: operation.method,
    ...{ baseUrl: '', originalUrl: url, path: url, url },
    headers: json === undefined ? others : { ...others, 'content-type': 'application/json' },
    query: withBooleans(query, operation.booleanNames),
    params,
    body: json,
  };
}

/** Booleans may also be numbers, in any case; anything else is refused by the library. */
const withBooleans = (
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

type LibraryFault = {
  readonly status: number;
  readonly errors: readonly { readonly path: string; readonly message: string }[];
};

const isLibraryFault = (error: unknown): error is LibraryFault =>
  typeof error === 'object' && error !== null && 'errors' in error && 'status' in error && Array.isArray(error.errors);

/** Each place by its name, then what is wrong there. */
function faultOf(error: unknown, { segments }: Operation): unknown {
  if (!isLibraryFault(error) || error.status !== 400) return error;
  const paths = error.errors.map(({ path }) => path);
  // A malformed id identifies nothing.
  if (paths.includes('/params/delivery_id')) return new HttpError(404, 'delivery not found');
  if (paths.includes('/params/id'))
    return new HttpError(404, segments[0] === 'webhooks' ? 'webhook not found' : 'stamp not found');
  return refusal([...new Set(error.errors.map(({ path, message }) => `${placeOf(path)}: ${wordsFor(message)}`))]);
}

/** Names come from the client, so they are cut. */
function refusal([first = 'the request does not fit the description', ...others]: readonly string[]): HttpError {
  const details = others.join('; ').slice(0, 2_000);
  return new HttpError(400, first.slice(0, 500), details === '' ? {} : { details });
}

/** `/body/cids/0` → `cids/0`; the body itself is `body`. */
const placeOf = (path: string): string => path.replace(/^\/?(?:body|query|params|headers)\//, '').replace(/^\//, '');

/** Names what a text's pattern refuses: characters, as escapes. */
const wordsFor = (message: string): string =>
  message.startsWith('must match pattern "^[^\\u0000-') ? 'must not contain control characters' : message;
