import type { Refusal } from '@indelible/messages';
import { HttpError, unavailable } from '../http/errors.ts';

/** What refusals of the domain, which knows no HTTP, are answered with. */
const statusOf: Readonly<Record<string, number>> = {
  'collection-cid-taken': 400,
  'collection-not-registered': 400,
  'collection-not-created': 400,
  'invalid-text': 400,
  'collection-exists': 409,
  'grant-revoked': 403,
  'grant-refused': 403,
};

/** Stamping takes nothing new for a while: in how many seconds it is worth asking again. */
const retryAfterOf: Readonly<Record<string, string>> = { 'too-busy': '5', 'out-of-funds': '60' };

export function refusalError(refusal: Refusal): HttpError {
  const retryAfter = retryAfterOf[refusal.code];
  if (retryAfter !== undefined) return unavailable(refusal.message, { retryAfter });
  const status = statusOf[refusal.code] ?? 500;
  if (status === 409) return new HttpError(409, 'collection already exists', { details: refusal.message });
  return new HttpError(status, refusal.message);
}
