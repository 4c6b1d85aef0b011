import type { IncomingMessage } from 'node:http';
import type { AuthenticatedKey, Authenticator } from '@indelible/accounts';
import type { Scope } from './document.ts';
import { HttpError } from './errors.ts';

const shape = /^Bearer +([\x21-\x7e]+) *$/i;

/**
 * Who asks, by the API key of the one `Authorization` header. Before any byte of the body is read.
 * @throws HttpError 400, 401, 403; retryable errors when keys cannot be looked up
 */
export async function authenticate(
  authenticator: Pick<Authenticator, 'authenticate'>,
  request: IncomingMessage,
  scope: Scope,
  now: number,
): Promise<AuthenticatedKey> {
  if (timesGiven(request, 'authorization') > 1) throw new HttpError(400, 'Authorization: given twice');
  const token = shape.exec(request.headers.authorization ?? '')?.[1];
  if (token === undefined) throw unauthorized('an API key is needed: Authorization: Bearer <key>');
  const answer = await authenticator.authenticate(token, now);
  if ('fault' in answer) throw unauthorized(`the API key is ${answer.fault}`);
  if (!answer.scopes.includes(scope))
    throw new HttpError(403, 'forbidden', { details: `the API key lacks the scope ${scope}` });
  return answer;
}

const unauthorized = (details: string): HttpError =>
  new HttpError(401, 'unauthorized', { details, headers: { 'WWW-Authenticate': 'Bearer' } });

function timesGiven(request: IncomingMessage, name: string): number {
  let times = 0;
  for (let i = 0; i < request.rawHeaders.length; i += 2)
    if ((request.rawHeaders[i] as string).toLowerCase() === name) times++;
  return times;
}
