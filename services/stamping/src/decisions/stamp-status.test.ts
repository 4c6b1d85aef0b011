import type { StampStatus } from '@indelible/messages';
import { describe, expect, it } from '@jest/globals';
import { type StatusFacts, stampStatus } from './stamp-status.ts';

const fresh: StatusFacts = { state: 'requested', waits: true, wasSubmitted: false, isFinal: false };

describe('the status of a stamp', () => {
  it.each<[string, Partial<StatusFacts>, StampStatus]>([
    ['waits for its first batch', {}, 'accepted'],
    ['is in a batch that no block has', { waits: false }, 'submitted'],
    ['waits again after its batch was refused, or after a reorg', { wasSubmitted: true }, 'submitted'],
    ['is in a batch again after a reorg', { waits: false, wasSubmitted: true }, 'submitted'],
    ['is in a block that is not deep enough', { state: 'included', waits: false }, 'submitted'],
    ['is at the configured depth', { state: 'confirmed', waits: false }, 'confirmed'],
    ['is in a final block', { state: 'confirmed', waits: false, isFinal: true }, 'finalized'],
    ['can never be on the chain', { state: 'failed', waits: false, wasSubmitted: true }, 'failed'],
  ])('that %s', (_what, facts, status) => {
    expect(stampStatus({ ...fresh, ...facts })).toBe(status);
  });
});
