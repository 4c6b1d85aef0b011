import type { Receipt } from '@indelible/messages';
import type { Fact, FinalizedFact, Stamp } from './facts.ts';

/** A confirmed stamp that waits for its block to be final. */
export type ConfirmedStamp = { readonly stamp: Stamp; readonly receipt: Receipt };

/** A block of the batch that is final, and its stamps whose confirmation has not come yet. */
export type FinalBlock = Pick<FinalizedFact, 'messageId' | 'time' | 'traceparent' | 'blockHash'> & {
  readonly waiting: readonly string[];
};

/** What is remembered of a batch: messages of its stamps and of the batch itself come in any order. */
export type BatchState = {
  /**
   * Whether all parts of its submission have come; `former` when it is of a release without public events: it names no stamps, and its
   * finality waits for none.
   */
  readonly submitted: boolean | 'former';
  /** Parts of its submission that have come, until all have. */
  readonly parts: readonly number[];
  /** Stamps whose submission was reported, by one of these parts or at their confirmation, until all parts have come. */
  readonly announced: readonly string[];
  readonly confirmed: Readonly<Record<string, ConfirmedStamp>>;
  readonly finals: readonly FinalBlock[];
};

export const unknownBatch: BatchState = { submitted: false, parts: [], announced: [], confirmed: {}, finals: [] };

/** Follows what happens to a batch; `state` is what is to be remembered then. What was given is not changed. */
export function followBatch(before: BatchState) {
  let { submitted } = before;
  const parts = new Set(before.parts);
  const announced = new Set(before.announced);
  const confirmed = new Map(Object.entries(before.confirmed));
  let finals = before.finals.map((final) => ({ ...final, waiting: new Set(final.waiting) }));

  return {
    /** @returns the stamps that are not announced yet, and those that were with their confirmation */
    submit<Each extends Stamp>({ stamps, part, parts: all }: Submission<Each>): Announcement<Each> {
      if (submitted === true || parts.has(part)) return { unannounced: [], known: [] };
      const unannounced = stamps.filter(({ stampId }) => !announced.has(stampId));
      const known = stamps.filter(({ stampId }) => announced.has(stampId));
      for (const { stampId } of unannounced) announced.add(stampId);
      parts.add(part);
      if (parts.size === all) {
        submitted = true;
        parts.clear();
        announced.clear();
      }
      return { unannounced, known };
    },
    submitFormer(): void {
      if (submitted === false) submitted = 'former';
    },
    /** @returns whether its submission is to be announced before, and the final block that waited for it */
    confirm({ stamp, receipt }: ConfirmedStamp): { readonly announce: boolean; readonly final: Final | undefined } {
      const { stampId } = stamp;
      const announce = submitted !== true && !announced.has(stampId);
      if (announce) announced.add(stampId);
      const final = finals.find(({ blockHash, waiting }) => blockHash === receipt.blockHash && waiting.delete(stampId));
      if (final === undefined) confirmed.set(stampId, { stamp, receipt });
      else finals = finals.filter(({ waiting }) => waiting.size > 0);
      return { announce, final };
    },
    /** The stamp is no longer confirmed in that block. */
    revert(stampId: string, { blockHash }: Pick<Receipt, 'blockHash'>): void {
      if (confirmed.get(stampId)?.receipt.blockHash === blockHash) confirmed.delete(stampId);
    },
    /** @returns the stamps that are final now; the others wait for their confirmation in that block */
    finalize({ blockHash, stampIds, messageId, time, traceparent }: Omit<FinalizedFact, 'kind' | 'batchId'>) {
      const final: ConfirmedStamp[] = [];
      const waiting = new Set<string>();
      for (const stampId of stampIds) {
        const known = confirmed.get(stampId);
        if (known?.receipt.blockHash === blockHash) {
          final.push(known);
          confirmed.delete(stampId);
        } else if (submitted !== 'former') waiting.add(stampId);
      }
      const trace = traceparent === undefined ? {} : { traceparent };
      if (waiting.size > 0) finals.push({ messageId, time, ...trace, blockHash, waiting });
      return final;
    },
    state: (): BatchState => ({
      submitted,
      parts: [...parts],
      announced: [...announced],
      confirmed: Object.fromEntries(confirmed),
      finals: finals.map((final) => ({ ...final, waiting: [...final.waiting] })),
    }),
  };
}
type Submission<Each> = Pick<Extract<Fact, { kind: 'submitted' }>, 'part' | 'parts'> & {
  readonly stamps: readonly Each[];
};
type Announcement<Each> = { readonly unannounced: readonly Each[]; readonly known: readonly Each[] };
export type Batch = ReturnType<typeof followBatch>;
type Final = Pick<FinalBlock, 'messageId' | 'time' | 'traceparent' | 'blockHash'>;
