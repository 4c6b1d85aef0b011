import type { Hex } from '@indelible/identifiers';
import { type ReceiptFields, receiptDifference } from './compare-receipt.ts';

type Named = { readonly account: Hex; readonly setCid: Hex; readonly objectCid: Hex };

/** A stamp of stamping, with what the gateway shows of it. */
export type StampPair = Named & {
  readonly status: string;
  readonly receipt: ReceiptFields | null;
  /** Its last event is old enough to be known everywhere. */
  readonly isSettled: boolean | null;
  /** Of its stored file, when that is old enough to be known. */
  readonly filePath: string | null;
  readonly batchStatus: string | null;
  readonly isToldFinal: boolean;
  readonly shown:
    | (Partial<Named> & {
        readonly status: string;
        readonly finalized: boolean;
        readonly receipt: ReceiptFields | null;
        readonly filePath: string | null;
      })
    | null;
};

/** What the gateway may show of a status. */
const shownAs: ReadonlyMap<string, readonly string[]> = new Map([
  ['requested', ['accepted', 'submitted']],
  ['included', ['accepted', 'submitted']],
  ['confirmed', ['confirmed']],
  ['failed', ['failed']],
]);

/** In what the gateway shows another stamp than stamping has; what is on its way is not judged. */
export function judgeGatewayStamp(pair: StampPair): readonly string[] {
  const { shown, status } = pair;
  if (pair.isSettled !== true) return [];
  if (shown === null) return [`is ${status}, the gateway does not show it`];
  const faults: string[] = [];
  const expected = shownAs.get(status);
  if (expected !== undefined && !expected.includes(shown.status))
    faults.push(`is ${status}, the gateway shows it ${shown.status}`);
  else if (status === 'confirmed') {
    const fields = receiptDifference(pair.receipt, shown.receipt);
    if (fields.length > 0) faults.push(`the gateway shows another receipt (${fields.join(', ')})`);
    if (pair.isToldFinal && !shown.finalized) faults.push('is final, the gateway does not show it so');
    if (shown.finalized && pair.batchStatus !== 'finalized') faults.push('is not final, the gateway shows it so');
  }
  const named = (['account', 'setCid', 'objectCid'] as const).filter((field) => shown[field] !== pair[field]);
  if (named.length > 0) faults.push(`the gateway shows another ${named.join(', ')}`);
  if (pair.filePath !== null && pair.filePath !== shown.filePath)
    faults.push(`its file is ${pair.filePath}, the gateway shows ${shown.filePath ?? 'none'}`);
  return faults;
}

/** A stamp that the gateway shows for longer than the grace, and what stamping has of it. */
export type ShownStamp = {
  readonly status: string;
  readonly isStamp: boolean;
  /** The event of a request that became no stamp. */
  readonly requestEvent: string | null;
  /** Requested so long ago that the event of a refused request is forgotten. */
  readonly isOld: boolean;
};

/** `remedy` is left out where regrowing the view is all. */
export function judgeUnknownStamp(shown: ShownStamp): { readonly what: string; readonly remedy?: string } | undefined {
  if (shown.isStamp) return undefined;
  switch (shown.requestEvent) {
    case 'StampRequestRefused':
      return shown.status === 'failed' ? undefined : { what: `was refused, the gateway shows it ${shown.status}` };
    case 'StampRequestJoined':
      return { what: `joined another stamp, the gateway shows it as one of its own, ${shown.status}` };
    default:
      if (shown.isOld && shown.status === 'failed') return undefined;
      return shown.status === 'accepted'
        ? {
            what: 'was accepted, stamping knows nothing of it',
            remedy:
              'does stamping consume commands.stamps? Then look for its command among the dead letters (indelible dead-letters replay commands.stamps)',
          }
        : { what: `the gateway shows it ${shown.status}, stamping knows nothing of it` };
  }
}
