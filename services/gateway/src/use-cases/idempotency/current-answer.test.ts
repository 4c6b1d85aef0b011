import type { Hex } from '@indelible/identifiers';
import type { Receipt, StampFacts } from '@indelible/messages';
import { UnavailableError } from '@indelible/service-runtime';
import { describe, expect, it } from '@jest/globals';
import { createCurrentAnswer } from './current-answer.ts';
import type { KeptAnswer } from './key-store.ts';

const account: Hex = '0xaa';
const receiptIn = (blockNumber: number): Receipt => ({ blockNumber }) as Receipt;
const answer: KeptAnswer = { kind: 'created', stampId: 's', receipt: receiptIn(5), file: undefined };
const stamp = (receipt: Receipt | null, of = account) => ({ account: of, receipt }) as StampFacts;

describe('a kept answer, as it is now', () => {
  it.each([
    ['has the receipt that the chain holds now (I4)', stamp(receiptIn(6)), { ...answer, receipt: receiptIn(6) }],
    ['is pending while a reorg has taken the receipt (I4)', stamp(null), { kind: 'pending', stampId: 's' }],
    ['is what was answered when stamping does not know the stamp', undefined, answer],
    ["is what was answered when the stamp is another account's", stamp(null, '0xee'), answer],
  ])('%s', async (_what, facts, expected) => {
    expect(await createCurrentAnswer(async () => facts)(account, answer)).toEqual(expected);
  });

  it('is a 202 as before: its status resource has the outcome', async () => {
    const accepted: KeptAnswer = { kind: 'accepted', stampId: 's', status: 'accepted' };
    const standing = createCurrentAnswer(() => Promise.reject(new Error('nothing is looked up')));
    expect(await standing(account, accepted)).toEqual(accepted);
  });

  it('is not known while stamping is unavailable: no answer names a transaction that a reorg may have removed (I4)', async () => {
    const standing = createCurrentAnswer(() => Promise.reject(new UnavailableError('away')));
    await expect(standing(account, answer)).rejects.toMatchObject({ retryable: true });
  });
});
