import type { Envelope, Place, Stamp } from './facts.ts';

export type Submission = Envelope & { readonly batchId: string; readonly stamp: Stamp; readonly place?: Place };

/**
 * The state of an unusual stamp: submitted twice, reverted, or confirmed before its submission arrived. It determines
 * where the submissions of several batches, which arrive from several partitions, belong among its events.
 */
export type StampNote = {
  /** The highest number of a reported submission; 0 while none is above 1. */
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

/** Tracks the order of stamps; `changed` is the state to store, undefined for state to delete. */
export function followOrder(memory: ReadonlyMap<string, StampNote>) {
  const changed = new Map<string, StampNote | undefined>();
  const noteOf = (stampId: string): StampNote | undefined =>
    changed.has(stampId) ? changed.get(stampId) : memory.get(stampId);
  const change = (stampId: string, change: Partial<StampNote>): void =>
    void changed.set(stampId, { ...(noteOf(stampId) ?? usual), ...change });

  /** Removes due submissions from those held. @returns them, to be reported now */
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
    /**
     * @returns whether to report it now. Otherwise it waits for a reversion, or is dropped: a later event was reported
     */
    submit(submission: Submission): boolean {
      const { place, stamp } = submission;
      // From an older release.
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
    /** The submission came that was reported with the confirmation: after a first one nothing follows. */
    submitReported({ stampId }: Stamp, place: Place | undefined): void {
      const note = noteOf(stampId);
      if (note === undefined) return;
      const attempt = place?.attempt ?? 1;
      if (attempt === 1 && note.reversions === 0 && note.held.length === 0) changed.set(stampId, undefined);
      else change(stampId, { attempt: Math.max(note.attempt, attempt) });
    },
    /**
     * @param announced whether its submission, which has not arrived, is reported with it
     * @returns submissions to report before it
     */
    confirm(stampId: string, batchId: string, announced: boolean): readonly Submission[] {
      const due = release(stampId, (held) => held.batchId === batchId);
      if (announced || noteOf(stampId) !== undefined) change(stampId, { confirmed: true });
      return due;
    },
    /** @returns submissions to report after it */
    revert(stampId: string): readonly Submission[] {
      const reversions = (noteOf(stampId)?.reversions ?? 0) + 1;
      change(stampId, { reversions, confirmed: false });
      return release(stampId, ({ place }) => (place?.reversions ?? 0) <= reversions);
    },
    /** Nothing follows it. */
    fail(stampId: string): void {
      if (noteOf(stampId) !== undefined) changed.set(stampId, undefined);
    },
    /** @returns all that is held, after waiting long enough */
    giveUp: (stampId: string): readonly Submission[] => release(stampId, () => true),
  };
}
