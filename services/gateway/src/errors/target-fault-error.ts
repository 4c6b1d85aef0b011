import type { Hex } from '@indelible/identifiers';
import type { TargetFault } from '../decisions/target-set.ts';
import { HttpError } from './http-error.ts';

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

export const notRegistered = (cid: Hex): HttpError =>
  new HttpError(400, `Collection CID is not registered in your Indelible account: ${cid}`, {
    details:
      'collection_cid: stamping by collection CID needs a collection whose name is known; collections that exist only on the chain are unsupported',
  });
