import type { Receipt, UploadOutcome } from '@indelible/messages';
import type { FileStatus } from './follow-stamp.ts';

/** Available once all files are stored or given up: the earliest commitment with a file. */
export function uploadOutcome(upload: {
  readonly outcome: 'created' | 'existing';
  readonly stampIds: readonly string[];
  readonly receipts: readonly Receipt[];
  readonly files: readonly {
    readonly status: FileStatus | null;
    readonly fileName: string | null;
    readonly filePath: string | null;
    readonly recreated: boolean | null;
  }[];
}): UploadOutcome {
  if (upload.files.some(({ status }) => status === 'pending')) return { state: 'pending' };
  for (const [i, { status, fileName, filePath, recreated }] of upload.files.entries()) {
    const [receipt, stampId] = [upload.receipts[i], upload.stampIds[i]];
    if (status !== 'success' || fileName === null || filePath === null || receipt === undefined) continue;
    const known = recreated === false && stampId !== undefined ? { stampId } : {};
    return { state: 'stored', outcome: upload.outcome, receipt, fileName, filePath, ...known };
  }
  return { state: 'failed' };
}
