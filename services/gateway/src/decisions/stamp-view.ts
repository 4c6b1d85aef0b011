import type { Hex } from '@indelible/identifiers';
import type { Receipt, Refusal, StampFacts, StampFile, StampStatus } from '@indelible/messages';

/** A stamp as its status resource shows it. */
export type StampView = {
  readonly id: string;
  readonly status: StampStatus;
  readonly requestedAt: Date;
  readonly objectCid: Hex;
  readonly setCid: Hex;
  readonly receipt: Receipt | null;
  readonly refusal: Refusal | null;
  readonly fileName: string | null;
  readonly filePath: string | null;
  /** Why the file will never be stored. */
  readonly fileFault: string | null;
};

/**
 * A stamp combined with its file: with content, a stamp stays `submitted` until that is stored, or never will be
 * (docs/interface.md, Stamps).
 */
export function viewOf(facts: StampFacts, file: StampFile | undefined): StampView {
  const { id, objectCid, setCid, receipt, refusal } = facts;
  const isOnChain = facts.status === 'confirmed' || facts.status === 'finalized';
  return {
    ...{ id, objectCid, setCid, receipt, refusal },
    status: isOnChain && facts.hasContent && isAwaited(file) ? 'submitted' : facts.status,
    requestedAt: new Date(facts.requestedAt),
    fileName: file?.fileName ?? null,
    filePath: file?.filePath ?? null,
    fileFault: file?.fault ?? null,
  };
}

/** Later content, for a file that failed, delays no status. */
const isAwaited = (file: StampFile | undefined): boolean =>
  file === undefined || (file.status === 'pending' && file.came !== 'later');
