import type { Refusal, RefusalCode } from '@indelible/messages';
import { HttpError, unavailable } from '../http/errors.ts';

/** A status, or for what stamping does not take for a while in how many seconds it is worth asking again. */
type RefusalAnswer = { readonly status: 400 | 403 | 409 | 500 } | { readonly retryAfter: string };

/** What refusals of the domain, which knows no HTTP, are answered with. */
const answers: Readonly<Record<RefusalCode, RefusalAnswer>> = {
  'collection-cid-taken': { status: 400 },
  'collection-not-registered': { status: 400 },
  'invalid-text': { status: 400 },
  'grant-revoked': { status: 403 },
  'grant-refused': { status: 403 },
  'collection-exists': { status: 409 },
  'collection-refused': { status: 500 },
  'stamp-failed': { status: 500 },
  'upload-failed': { status: 500 },
  'too-busy': { retryAfter: '5' },
  'out-of-funds': { retryAfter: '60' },
};

/** Of senders of a later version: they may know more codes. */
const unknownCode: RefusalAnswer = { status: 500 };

export function refusalError({ code, message }: Refusal): HttpError {
  const answer = Object.hasOwn(answers, code) ? answers[code] : unknownCode;
  if ('retryAfter' in answer) return unavailable(message, answer);
  if (answer.status === 409) return new HttpError(409, 'collection already exists', { details: message });
  return new HttpError(answer.status, message);
}
