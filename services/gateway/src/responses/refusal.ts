import type { Refusal } from '@indelible/messages';
import { HttpError } from '../http/errors.ts';

/** What refusals of the domain, which knows no HTTP, are answered with. */
const statusOf: Readonly<Record<string, number>> = {
  'collection-cid-taken': 400,
  'collection-not-registered': 400,
  'collection-not-created': 400,
  'collection-exists': 409,
};

export function refusalError(refusal: Refusal): HttpError {
  const status = statusOf[refusal.code] ?? 500;
  if (status === 409) return new HttpError(409, 'collection already exists', { details: refusal.message });
  return new HttpError(status, refusal.message);
}
