import type { RequestHandler } from 'express';
import * as openApiValidator from 'express-openapi-validator';
import type { ApiDocument } from './document.ts';
import { HttpError } from './errors.ts';

/** Checks queries, path parameters and JSON bodies against the document; forms are checked by their own reader. */
export function createValidator(document: ApiDocument): RequestHandler[] {
  const handlers = openApiValidator.middleware({
    apiSpec: document.copy(),
    validateApiSpec: true,
    validateRequests: { allowUnknownQueryParameters: false },
    validateResponses: false,
    validateSecurity: false,
    fileUploader: false,
  });
  return handlers.map((handler) => handler as unknown as RequestHandler);
}

type Fault = {
  readonly status: number;
  readonly errors: readonly { readonly path: string; readonly message: string }[];
};

const isFault = (error: unknown): error is Fault =>
  typeof error === 'object' && error !== null && 'errors' in error && 'status' in error && Array.isArray(error.errors);

/**
 * The validator's fault as ours: each place by its name, then what is wrong there.
 * @param segments of the operation's path
 */
export function faultOfValidator(error: unknown, segments: readonly string[] = []): unknown {
  if (!isFault(error) || error.status !== 400) return error;
  // An id is looked up as it is: one of another form is nobody's.
  if (error.errors.some(({ path }) => path === '/params/delivery_id')) return new HttpError(404, 'delivery not found');
  if (error.errors.some(({ path }) => path === '/params/id'))
    return new HttpError(404, segments[0] === 'webhooks' ? 'webhook not found' : 'stamp not found');
  const faults = error.errors.map(({ path, message }) => `${nameOf(path)}: ${wordsFor(message)}`);
  const [first = 'the request does not fit the description', ...others] = [...new Set(faults)];
  return new HttpError(
    400,
    first.slice(0, 500),
    others.length === 0 ? {} : { details: others.join('; ').slice(0, 2_000) },
  );
}

/** `/body/cids/0` → `cids/0`; the body itself is `body`. */
const nameOf = (path: string): string => path.replace(/^\/?(?:body|query|params|headers)\//, '').replace(/^\//, '');

/** The patterns of texts say what they refuse: characters, as escapes that nobody wants to read. */
const wordsFor = (message: string): string =>
  message.startsWith('must match pattern "^[^\\u0000-') ? 'must not contain control characters' : message;
