import type { Hex } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import { type BatchStamp, compareBatch } from './compare-batch.ts';
import type { Commitment } from './compare-commitment.ts';

const word = (digit: string): Hex => `0x${digit.repeat(64)}`;
const commitment = (logIndex: number, changes: Partial<Commitment> = {}): Commitment => ({
  blockNumber: 7,
  logIndex,
  blockHash: word('b'),
  blockTime: 1_000,
  transactionHash: word('d'),
  account: `0x${'a'.repeat(40)}`,
  setCid: word('5'),
  objectCid: word(String(logIndex)),
  ...changes,
});
const stampOf = (at: Commitment, changes: Partial<BatchStamp> = {}): BatchStamp => {
  const { blockNumber: _, ...fields } = at;
  return { id: `s${at.logIndex}`, status: 'confirmed', ...fields, ...changes };
};
const batch = { id: 'one', blockHash: word('b') };
const onChain = { blockHash: word('b'), succeeded: true, commitments: [commitment(1), commitment(2)] };
const whatDiffers = (stamps: readonly BatchStamp[], chain: typeof onChain | undefined = onChain): readonly string[] =>
  compareBatch(batch, stamps, chain).map(({ subject, what }) => `${subject}: ${what}`);

describe('a batch and its transaction', () => {
  const stamps = onChain.commitments.map((one) => stampOf(one));

  it('agree when each commitment is one stamp, and each stamp a commitment with its very fields (I1)', () => {
    expect(whatDiffers(stamps)).toEqual([]);
  });

  it('differ by a commitment that is no stamp, or two (I2)', () => {
    expect(whatDiffers(stamps.slice(1))).toEqual([`batch one: its commitment of ${word('1')} (log 1) is no stamp`]);
    const doubled = [...stamps, stampOf(commitment(2), { id: 'other' })];
    expect(whatDiffers(doubled)).toEqual([`batch one: its commitment of ${word('2')} (log 2) is 2 stamps`]);
  });

  it('differ by a stamp that is no commitment, or has no place (I1)', () => {
    const astray = stampOf(commitment(9));
    expect(whatDiffers([...stamps, astray])).toEqual([
      `stamp s9: its receipt names log 9 of ${word('d')}, which is no commitment`,
    ]);
    const waiting = stampOf(commitment(9), { status: 'requested', logIndex: null, blockHash: null });
    expect(whatDiffers([...stamps, waiting])).toEqual(["stamp s9: is requested without a place in its batch's block"]);
  });

  it.each([
    ['block time', { blockTime: 1_001 }],
    ['account', { account: `0x${'c'.repeat(40)}` as Hex }],
    ['set', { setCid: word('6') }],
    ['object', { objectCid: word('6') }],
    ['transaction', { transactionHash: word('6') }],
    ['block hash', { blockHash: word('6') }],
  ])('differ by a receipt with another %s (I1)', (name, changes) => {
    const [first, second] = stamps as [BatchStamp, BatchStamp];
    expect(whatDiffers([first, { ...second, ...changes }])).toEqual([
      `stamp s2: ${name} of its receipt differs from the chain`,
    ]);
  });

  it('differ when the chain has it in another block, reverted, or not at all (I4)', () => {
    expect(whatDiffers(stamps, { ...onChain, blockHash: word('6') })).toHaveLength(1);
    expect(whatDiffers(stamps, { ...onChain, succeeded: false })).toEqual([
      'batch one: reverted on the chain, and 2 stamps count as in it',
    ]);
    expect(compareBatch(batch, stamps, undefined)).toMatchObject([
      { what: 'counts as included with 2 stamps, none of its transactions is on the chain' },
    ]);
  });
});
