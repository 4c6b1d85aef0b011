import type { Envelope, Place, Stamp } from './facts.ts';

export type Submission = Envelope & { readonly batchId: string; readonly stamp: Stamp; readonly place?: Place };

/**
 * What is remembered of a stamp that goes another way than nearly all do: submitted twice, reverted, or confirmed before its submission came.
 * By it the submissions of several batches, which come by several partitions, get their place among its events.
 */
export type StampNote = {
  /** The newest submission that was reported, by number; 0 while none has a number above 1. */
  readonly attempt: number;
  readonly reversions: number;
  /** Whether it is confirmed since its last reversion. */
  readonly confirmed: boolean;
  /** Submissions whose reversion has not come yet. */
  readonly held: readonly Submission[];
};

const usual: StampNote = { attempt: 0, reversions: 0, confirmed: false, held: [] };
const attemptOf = ({ place }: Submission): number => place?.attempt ?? 0;
const inOrder = (submissions: readonly Submission[]): Submission[] =>
  submissions.toSorted((a, b) => attemptOf(a) - attemptOf(b));

/** Follows the order of stamps; `changed` is what is to be remembered then, undefined of what is to be forgotten. */
export function followOrder(memory: ReadonlyMap<string, StampNote>) {
  const changed = new Map<string, StampNote | undefined>();
  const noteOf = (stampId: string): StampNote | undefined =>
    changed.has(stampId) ? changed.get(stampId) : memory.get(stampId);
  const change = (stampId: string, change: Partial<StampNote>): void =>
    void changed.set(stampId, { ...(noteOf(stampId) ?? usual), ...change });

  /** Takes those that are due from what is held. @returns them, to be reported now */
  function release(stampId: string, isDue: (held: Submission) => boolean): readonly Submission[] {
    const note = noteOf(stampId);
    const due = inOrder(note?.held.filter(isDue) ?? []);
    if (note === undefined || due.length === 0) return [];
    const attempt = Math.max(note.attempt, ...due.map(attemptOf));
    change(stampId, { attempt, held: note.held.filter((held) => !isDue(held)) });
    return due;
  }

  return {
    changed,
    /** @returns whether it is to be reported now. Otherwise it waits for a reversion; or what follows it was reported, and it is left out */
    submit(submission: Submission): boolean {
      const { place, stamp } = submission;
      // Of a release that did not say.
      if (place === undefined) return true;
      const note = noteOf(stamp.stampId) ?? usual;
      if (place.reversions > note.reversions) {
        change(stamp.stampId, { held: [...note.held, submission] });
        return false;
      }
      if (place.reversions < note.reversions || note.confirmed || place.attempt < note.attempt) return false;
      if (place.attempt > 1) change(stamp.stampId, { attempt: place.attempt });
      return true;
    },
    /** The submission came that was reported with the confirmation: of a first one nothing else is to come. */
    submitReported({ stampId }: Stamp, place: Place | undefined): void {
      const note = noteOf(stampId);
      if (note === undefined) return;
      const attempt = place?.attempt ?? 1;
      if (attempt === 1 && note.reversions === 0 && note.held.length === 0) changed.set(stampId, undefined);
      else change(stampId, { attempt: Math.max(note.attempt, attempt) });
    },
    /**
     * @param announced whether its submission is reported with it, since it has not come
     * @returns submissions that are to be reported before it
     */
    confirm(stampId: string, batchId: string, announced: boolean): readonly Submission[] {
      const due = release(stampId, (held) => held.batchId === batchId);
      if (announced || noteOf(stampId) !== undefined) change(stampId, { confirmed: true });
      return due;
    },
    /** @returns submissions that are to be reported after it */
    revert(stampId: string): readonly Submission[] {
      const reversions = (noteOf(stampId)?.reversions ?? 0) + 1;
      change(stampId, { reversions, confirmed: false });
      return release(stampId, ({ place }) => (place?.reversions ?? 0) <= reversions);
    },
    /** Nothing comes after it. */
    fail(stampId: string): void {
      if (noteOf(stampId) !== undefined) changed.set(stampId, undefined);
    },
    /** @returns all that is held, which has waited long enough */
    giveUp: (stampId: string): readonly Submission[] => release(stampId, () => true),
  };
}
