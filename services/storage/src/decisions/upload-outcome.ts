import type { Receipt } from '@indelible/messages';
import type { FileStatus } from './follow-stamp.ts';

/** What an upload has come to. */
export type UploadOutcome =
  | { readonly state: 'pending' }
  | {
      readonly state: 'stored';
      readonly outcome: 'created' | 'existing';
      /** The earliest commitment that has a file, and that file. */
      readonly receipt: Receipt;
      readonly fileName: string;
      readonly filePath: string;
    }
  /** Its content can never be stored; it may be brought again. */
  | { readonly state: 'failed' };

/** Answered once all of its files are stored or given up, by the earliest commitment that has one. */
export function uploadOutcome(upload: {
  readonly outcome: 'created' | 'existing';
  readonly receipts: readonly Receipt[];
  readonly files: readonly {
    readonly status: FileStatus | null;
    readonly fileName: string | null;
    readonly filePath: string | null;
  }[];
}): UploadOutcome {
  if (upload.files.some(({ status }) => status === 'pending')) return { state: 'pending' };
  for (const [i, { status, fileName, filePath }] of upload.files.entries()) {
    const receipt = upload.receipts[i];
    if (status === 'success' && fileName !== null && filePath !== null && receipt !== undefined)
      return { state: 'stored', outcome: upload.outcome, receipt, fileName, filePath };
  }
  return { state: 'failed' };
}
