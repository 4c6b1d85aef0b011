import type { Receipt, Refusal, Reply } from '@indelible/messages';
import type { OutcomeRules } from './outcome-rules.ts';
import type { StampView } from './stamp-view.ts';

/** What a waiting request knows so far, from replies or status, in any order. */
export type Waiting = {
  readonly requestId: string;
  /** Whether a file is to be stored for a new stamp. */
  readonly bringsContent: boolean;
  /** Whether a new stamp may have created the collection it names. */
  readonly namesCollection: boolean;
  readonly stampId?: string;
  readonly decision?: 'new' | 'joined' | 'repeated';
  readonly confirmed?: {
    readonly outcome: 'created' | 'repeated';
    readonly receipt: Receipt;
    readonly collectionCreated: boolean;
    readonly awaitsFile: boolean;
  };
  readonly file?: StoredFile;
  /** The file will never be stored: do not wait for it. */
  readonly fileFailed?: true;
  readonly refusal?: Refusal;
};

export type StoredFile = { readonly fileName: string; readonly filePath: string };

/** A stamp by its status; refused and without a receipt, it failed. */
export type SeenStamp = Pick<StampView, 'id' | 'receipt' | 'refusal' | 'fileName' | 'filePath' | 'fileFault'>;

export function applyReply(waiting: Waiting, reply: Reply): Waiting {
  switch (reply.kind) {
    case 'decided':
      return { ...waiting, stampId: reply.stampId, decision: reply.decision };
    case 'confirmed': {
      const { stampId, outcome, receipt, collectionCreated, awaitsFile } = reply;
      return { ...waiting, stampId, confirmed: { outcome, receipt, collectionCreated, awaitsFile } };
    }
    case 'stored':
      return { ...waiting, file: { fileName: reply.fileName, filePath: reply.filePath } };
    case 'not-stored':
      return { ...waiting, fileFailed: true };
    case 'refused':
      return { ...waiting, refusal: reply.refusal };
    case 'uploaded':
    case 'collection-created':
      return waiting;
  }
}

/** The same from a status, when replies were lost. */
export function applyStatus(waiting: Waiting, stamp: SeenStamp): Waiting {
  const isNew = stamp.id === waiting.requestId;
  const decision = waiting.decision ?? (isNew ? 'new' : stamp.receipt === null ? 'joined' : 'repeated');
  const seen: Waiting = {
    ...waiting,
    stampId: stamp.id,
    decision,
    ...(stamp.fileName === null || stamp.filePath === null
      ? {}
      : { file: { fileName: stamp.fileName, filePath: stamp.filePath } }),
    ...(stamp.fileFault === null ? {} : { fileFailed: true }),
  };
  if (stamp.receipt !== null)
    return {
      ...seen,
      confirmed: waiting.confirmed ?? {
        outcome: isNew ? 'created' : 'repeated',
        receipt: stamp.receipt,
        collectionCreated: isNew && waiting.namesCollection,
        awaitsFile: isNew && waiting.bringsContent,
      },
    };
  return stamp.refusal !== null ? { ...seen, refusal: stamp.refusal } : seen;
}

export type StampOutcome =
  | {
      readonly kind: 'confirmed';
      readonly outcome: 'created' | 'repeated';
      readonly stampId: string;
      readonly receipt: Receipt;
      readonly collectionCreated: boolean;
      readonly file: StoredFile | undefined;
      /** It was in flight when this request came. */
      readonly fresh: boolean;
    }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** Only under `respond-async`: the stamp is accepted. */
  | { readonly kind: 'accepted'; readonly stampId: string };

/**
 * The outcome, if known. Under `respond-async` a decision is enough, unless it finds a confirmed stamp, which is
 * returned as usual.
 */
export function outcomeOf(waiting: Waiting, respondAsync: boolean): StampOutcome | undefined {
  if (waiting.refusal !== undefined) return { kind: 'refused', refusal: waiting.refusal };
  const { confirmed, stampId, decision, file, fileFailed } = waiting;
  if (respondAsync && stampId !== undefined && (decision === 'new' || decision === 'joined'))
    return { kind: 'accepted', stampId };
  if (respondAsync && stampId !== undefined && confirmed?.outcome === 'created') return { kind: 'accepted', stampId };
  if (confirmed === undefined || stampId === undefined) return undefined;
  if (confirmed.awaitsFile && file === undefined && fileFailed !== true) return undefined;
  const fresh = confirmed.outcome === 'created' || decision === 'joined';
  return { kind: 'confirmed', ...confirmed, stampId, file, fresh };
}

/** How a wait ended; at the limit with the stamp's id, if known. */
export type AwaitedStamp = StampOutcome | { readonly kind: 'limit'; readonly stampId: string };

const rulesOf = (respondAsync: boolean): OutcomeRules<Waiting, SeenStamp, AwaitedStamp> => ({
  applyReply,
  applyStatus,
  outcomeOf: (waiting) => outcomeOf(waiting, respondAsync),
  atLimit: ({ stampId, requestId }) => ({ kind: 'limit', stampId: stampId ?? requestId }),
});

export const untilConfirmed = rulesOf(false);
/** Under `respond-async`. */
export const untilDecided = rulesOf(true);
