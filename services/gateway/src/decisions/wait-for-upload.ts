import type { Receipt, Refusal } from '@indelible/messages';
import type { OutcomeRules } from './outcome-rules.ts';

/** What an upload has come to, as storage knows it. */
export type UploadState =
  | { readonly state: 'pending' }
  | { readonly state: 'failed' }
  | {
      readonly state: 'stored';
      readonly outcome: 'created' | 'existing';
      readonly receipt: Receipt;
      readonly fileName: string;
      readonly filePath: string;
      /** Absent while the stamp of that commitment is not known to storage. */
      readonly stampId?: string;
    };

export type AwaitedUpload =
  | Extract<UploadState, { state: 'stored' }>
  | { readonly state: 'refused'; readonly refusal: Refusal }
  /** The wait limit passed: the upload goes on. */
  | { readonly state: 'limit' };

const couldNotBeStored: Refusal = { code: 'upload-failed', message: 'the content could not be stored' };

export const untilUploaded: OutcomeRules<AwaitedUpload | undefined, UploadState, AwaitedUpload> = {
  seeReply(state, reply) {
    if (reply.kind === 'uploaded') return { ...reply, state: 'stored' };
    return reply.kind === 'refused' ? { state: 'refused', refusal: reply.refusal } : state;
  },
  seeStatus(state, status) {
    if (status.state === 'stored') return status;
    return status.state === 'failed' ? { state: 'refused', refusal: couldNotBeStored } : state;
  },
  settle: (state) => state,
  atLimit: () => ({ state: 'limit' }),
};
