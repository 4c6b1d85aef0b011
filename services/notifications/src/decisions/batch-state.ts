import type { Hex } from '@indelible/identifiers';
import type { Receipt } from '@indelible/messages';
import type { Fact, FinalizedFact, Stamp } from './facts.ts';

/** A position in a log. */
export type LogPlace = { readonly account: Hex; readonly position: number };

/**
 * Stamps of an account that are confirmed in a block, with the log position of their `stamp.confirmed`, which their
 * finality repeats.
 */
type ConfirmedInBlock = {
  readonly blockHash: string;
  readonly account: Hex;
  /** Positions by stamp. */
  readonly stamps: Readonly<Record<string, number>>;
};

/** A confirmed stamp as stored by an older release. */
export type FormerConfirmation = { readonly stamp: Stamp; readonly receipt: Receipt };

/** A final block of the batch, and its stamps whose confirmation has not arrived yet. */
export type FinalBlock = Pick<FinalizedFact, 'messageId' | 'time' | 'traceparent' | 'blockHash'> & {
  readonly waiting: readonly string[];
};

/** The state of a batch: messages of its stamps and of the batch itself arrive in any order. */
export type BatchState = {
  /**
   * Whether all parts of its submission have come; `former` when it is of a release without public events: it names no stamps, and its
   * finality waits for none.
   */
  readonly submitted: boolean | 'former';
  /** Parts of its submission that have come, until all have. */
  readonly parts: readonly number[];
  /** Stamps whose submission was reported, with one of these parts or their confirmation, until all parts have come. */
  readonly announced: readonly string[];
  readonly confirmed: readonly ConfirmedInBlock[];
  /** By stamp; none for batches first seen by this release. */
  readonly former?: Readonly<Record<string, FormerConfirmation>>;
  readonly finals: readonly FinalBlock[];
};

export const unknownBatch: BatchState = { submitted: false, parts: [], announced: [], confirmed: [], finals: [] };

/** Number of stamps waiting for finality. */
export const countConfirmed = ({ confirmed, former = {} }: BatchState): number =>
  confirmed.reduce((count, { stamps }) => count + Object.keys(stamps).length, Object.keys(former).length);

/** Log positions of what these stamps' finality repeats. */
export const placesOf = (
  { confirmed }: BatchState,
  { blockHash, stampIds }: Pick<FinalizedFact, 'blockHash' | 'stampIds'>,
) =>
  confirmed
    .filter((one) => one.blockHash === blockHash)
    .flatMap(({ account, stamps }) =>
      stampIds.flatMap((stampId): LogPlace[] => {
        const position = stamps[stampId];
        return position === undefined ? [] : [{ account, position }];
      }),
    );

/** Tracks a batch; `state` is the state to store afterwards. Does not modify its argument. */
export function followBatch(before: BatchState) {
  let { submitted } = before;
  const parts = new Set(before.parts);
  const announced = new Set(before.announced);
  const confirmed = new Map<string, LogPlace & { readonly blockHash: string }>();
  for (const { stamps, ...of } of before.confirmed)
    for (const [stampId, position] of Object.entries(stamps)) confirmed.set(stampId, { ...of, position });
  const former = new Map(Object.entries(before.former ?? {}));
  let finals = before.finals.map((final) => ({ ...final, waiting: new Set(final.waiting) }));

  return {
    /** @returns the stamps not announced yet, and those announced with their confirmation */
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
    /** @returns whether to announce its submission first, and the final block that waited for it */
    confirm({ stampId }: Stamp, receipt: Receipt): { readonly announce: boolean; readonly final: Final | undefined } {
      const announce = submitted !== true && !announced.has(stampId);
      if (announce) announced.add(stampId);
      const final = finals.find(({ blockHash, waiting }) => blockHash === receipt.blockHash && waiting.delete(stampId));
      if (final !== undefined) finals = finals.filter(({ waiting }) => waiting.size > 0);
      return { announce, final };
    },
    /** The confirmation is in the log, waiting for its block to be final. */
    logged(stampId: string, { blockHash }: Receipt, place: LogPlace): void {
      confirmed.set(stampId, { ...place, blockHash });
    },
    /** The stamp is no longer confirmed in that block. */
    revert(stampId: string, { blockHash }: Pick<Receipt, 'blockHash'>): void {
      if (confirmed.get(stampId)?.blockHash === blockHash) confirmed.delete(stampId);
      if (former.get(stampId)?.receipt.blockHash === blockHash) former.delete(stampId);
    },
    /** @returns log positions of the confirmations that are now final; other stamps wait for theirs in that block */
    finalize({ blockHash, stampIds, messageId, time, traceparent }: Omit<FinalizedFact, 'kind' | 'batchId'>) {
      const final: (LogPlace | FormerConfirmation)[] = [];
      const waiting = new Set<string>();
      for (const stampId of stampIds) {
        const known = confirmed.get(stampId);
        const older = former.get(stampId);
        if (known?.blockHash === blockHash) {
          final.push(known);
          confirmed.delete(stampId);
        } else if (older?.receipt.blockHash === blockHash) {
          final.push(older);
          former.delete(stampId);
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
      confirmed: byBlock(confirmed),
      ...(former.size === 0 ? {} : { former: Object.fromEntries(former) }),
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

function byBlock(confirmed: ReadonlyMap<string, LogPlace & { readonly blockHash: string }>): ConfirmedInBlock[] {
  const blocks = new Map<string, { blockHash: string; account: Hex; stamps: Record<string, number> }>();
  for (const [stampId, { blockHash, account, position }] of confirmed) {
    const key = `${blockHash} ${account}`;
    const block = blocks.get(key) ?? { blockHash, account, stamps: {} };
    blocks.set(key, block);
    block.stamps[stampId] = position;
  }
  return [...blocks.values()];
}
