import type { IncomingMessage } from 'node:http';
import type { AuthenticatedKey, Authenticator } from '@indelible/accounts';
import { HttpError, invalid } from '../../errors/http-error.ts';
import type { Scope } from './document.ts';

const shape = /^Bearer +([\x21-\x7e]+) *$/i;

/**
 * Finds the caller by the API key in the one `Authorization` header, before any byte of the body is read.
 * {@link requireScopes} checks scopes.
 * @throws HttpError 400, 401; retryable errors when keys cannot be looked up
 */
export async function authenticate(
  authenticator: Pick<Authenticator, 'authenticate'>,
  request: IncomingMessage,
  now: number,
): Promise<AuthenticatedKey> {
  const token = tokenOf(request);
  if (token === undefined) throw unauthorized('an API key is needed: Authorization: Bearer <key>');
  const answer = await authenticator.authenticate(token, now);
  if ('fault' in answer)
    throw unauthorized(
      answer.fault === 'disabled' ? 'the account of the API key is disabled' : `the API key is ${answer.fault}`,
    );
  return answer;
}

/** The caller if {@link authenticate} needs no query to know it; undefined otherwise, and for every fault. */
export function knownKey(
  authenticator: Pick<Authenticator, 'known'>,
  request: IncomingMessage,
  now: number,
): AuthenticatedKey | undefined {
  try {
    const token = tokenOf(request);
    const answer = token === undefined ? undefined : authenticator.known(token, now);
    return answer === undefined || 'fault' in answer ? undefined : answer;
  } catch (error) {
    if (error instanceof HttpError) return undefined;
    throw error;
  }
}

const tokenOf = (request: IncomingMessage): string | undefined =>
  shape.exec(singleHeader(request, 'Authorization') ?? '')?.[1];

/** Why the key of a request is no longer valid. @throws as {@link authenticate} when that cannot be known */
export async function keyFaultOf(...request: Parameters<typeof authenticate>): Promise<string | undefined> {
  try {
    await authenticate(...request);
    return undefined;
  } catch (error) {
    if (error instanceof HttpError) return error.details;
    throw error;
  }
}

/** @throws HttpError 403 */
export function requireScopes(key: AuthenticatedKey, scopes: readonly Scope[]): void {
  const lacking = scopes.find((scope) => !key.scopes.includes(scope));
  if (lacking !== undefined)
    throw new HttpError(403, 'forbidden', { details: `the API key lacks the scope ${lacking}` });
}

const unauthorized = (details: string): HttpError =>
  new HttpError(401, 'unauthorized', { details, headers: { 'WWW-Authenticate': 'Bearer' } });

/**
 * A header that has one value only: Node joins or drops further ones.
 * @throws HttpError 400 naming it when it is given twice
 */
export function singleHeader(request: IncomingMessage, name: string): string | undefined {
  const wanted = name.toLowerCase();
  let value: string | undefined;
  const { rawHeaders } = request;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const raw = rawHeaders[i] as string;
    if (raw.length !== wanted.length || raw.toLowerCase() !== wanted) continue;
    if (value !== undefined) throw invalid(name, 'given twice');
    value = rawHeaders[i + 1] as string;
  }
  return value;
}

/** A header that may be repeated, as one value. */
export const headerOf = (request: IncomingMessage, name: string): string | undefined => {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
};
