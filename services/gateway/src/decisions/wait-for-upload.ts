import type { Refusal, UploadOutcome } from '@indelible/messages';
import type { OutcomeRules } from './outcome-rules.ts';

export type AwaitedUpload =
  | Extract<UploadOutcome, { state: 'stored' }>
  | { readonly state: 'refused'; readonly refusal: Refusal }
  /** The wait limit passed: the upload continues. */
  | { readonly state: 'limit' };

const couldNotBeStored: Refusal = { code: 'upload-failed', message: 'the content could not be stored' };

export const untilUploaded: OutcomeRules<AwaitedUpload | undefined, UploadOutcome, AwaitedUpload> = {
  applyReply(state, reply) {
    if (reply.kind === 'uploaded') return { ...reply, state: 'stored' };
    return reply.kind === 'refused' ? { state: 'refused', refusal: reply.refusal } : state;
  },
  applyStatus(state, status) {
    if (status.state === 'stored') return status;
    return status.state === 'failed' ? { state: 'refused', refusal: couldNotBeStored } : state;
  },
  outcomeOf: (state) => state,
  atLimit: () => ({ state: 'limit' }),
};
