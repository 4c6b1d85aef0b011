import type { Hex } from '@indelible/identifiers';
import type { Refusal, RefusalCode } from '@indelible/messages';
import type { TargetFault } from '../decisions/target-set.ts';
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

/** @param setCid the collection that was requested by its CID, if one was */
export function refusalError({ code, message }: Refusal, setCid?: Hex): HttpError {
  if (code === 'collection-not-registered' && setCid !== undefined) return notRegistered(setCid);
  const answer = Object.hasOwn(answers, code) ? answers[code] : unknownCode;
  if ('retryAfter' in answer) return unavailable(message, answer);
  if (answer.status === 409) return new HttpError(409, 'collection already exists', { details: message });
  return new HttpError(answer.status, message);
}

/** The two messages of stamping with a `collection_cid` (docs/interface.md, Errors). */
export function targetFaultError({ fault, cid }: TargetFault): HttpError {
  switch (fault) {
    case 'not-registered':
      return notRegistered(cid);
    case 'not-created':
      return new HttpError(
        400,
        `Collection CID has not been created by the current user: ${cid}. Please create a collection first.`,
        { details: 'collection_cid: the recording of this collection on the chain is pending or failed' },
      );
  }
}

const notRegistered = (cid: Hex): HttpError =>
  new HttpError(400, `Collection CID is not registered in your Indelible account: ${cid}`, {
    details:
      'collection_cid: stamping by collection CID needs a collection whose name is known; collections that exist only on the chain are unsupported',
  });
