import type { StampStatus } from '@indelible/messages';

/** The facts behind a stamp's status. */
export type StatusFacts = {
  readonly state: 'requested' | 'included' | 'confirmed' | 'failed';
  /** It waits for a batch. */
  readonly waits: boolean;
  /** It was in a batch before, or confirmed. */
  readonly wasSubmitted: boolean;
  /** The block of its batch is final. */
  readonly isFinal: boolean;
};

/**
 * The status of a stamp. Only a reorg moves it back, and then to `submitted`: a stamp whose batch was reverted or
 * superseded stays `submitted` while it waits for another one.
 */
export function stampStatus({ state, waits, wasSubmitted, isFinal }: StatusFacts): StampStatus {
  switch (state) {
    case 'requested':
      return waits && !wasSubmitted ? 'accepted' : 'submitted';
    case 'included':
      return 'submitted';
    case 'confirmed':
      return isFinal ? 'finalized' : 'confirmed';
    case 'failed':
      return 'failed';
  }
}
