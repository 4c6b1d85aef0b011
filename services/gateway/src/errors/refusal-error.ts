import type { Refusal, RefusalCode } from '@indelible/messages';
import { HttpError, unavailable } from './http-error.ts';

/** A status; for a temporary refusal, the seconds until a retry is worthwhile. */
type RefusalAnswer = { readonly status: 400 | 403 | 409 | 500 } | { readonly retryAfter: string };

/** The responses to refusals of the domain, which knows no HTTP. */
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

/** For codes of later versions. */
const unknownCode: RefusalAnswer = { status: 500 };

export function refusalError({ code, message }: Refusal): HttpError {
  const answer = Object.hasOwn(answers, code) ? answers[code] : unknownCode;
  if ('retryAfter' in answer) return unavailable(message, answer);
  if (answer.status === 409) return new HttpError(409, 'collection already exists', { details: message });
  return new HttpError(answer.status, message);
}
