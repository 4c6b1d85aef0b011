const SAVE_INTERVAL_MS = 10_000;
/** A chain of this size, some thousand stamps, is written in a few hundredths of a second. */
const SMALL_BYTES = 250_000;
/** A journal of this size is mined again in seconds. */
const LONG_JOURNAL_BYTES = 32_000_000;
/** A bound, if a chain is never idle. */
const MOST_JOURNAL_BYTES = 1_000_000_000;

/**
 * Whether to save the whole chain now, during which it mines nothing: 2 s for 170,000 stamps on two free cores, several
 * times that under load. So a large chain is saved only while idle, when its journal cannot continue, or when it stops.
 */
export function isSaveDue(state: {
  /** False: the journal lacks blocks that it cannot get. */
  readonly follows: boolean;
  readonly journalBytes: number;
  /** Size of the last whole save, 0 before the first. */
  readonly wholeBytes: number;
  readonly sinceSavedMs: number;
  /** Nothing has been sent for some minutes. */
  readonly idle: boolean;
}): boolean {
  if (!state.follows || state.journalBytes > MOST_JOURNAL_BYTES) return true;
  if (state.journalBytes === 0 || state.sinceSavedMs < SAVE_INTERVAL_MS) return false;
  if (state.wholeBytes + state.journalBytes <= SMALL_BYTES) return true;
  return state.idle && state.journalBytes > LONG_JOURNAL_BYTES;
}
