import { type Hex, zeroCid } from '@indelible/identifiers';
import type { BlockAppended, ChainLog } from '@indelible/messages';
import { describe, expect, it } from '@jest/globals';
import { type BlockFacts, type OwnTransaction, planBlock, type StampOfBlock } from './plan-block.ts';

const operator: Hex = '0x0f';
const log = (logIndex: number, changes: Partial<ChainLog> = {}): ChainLog => ({
  ...{ kind: 'object', transactionHash: '0x71', logIndex, user: '0xaa', setCid: zeroCid, objectCid: '0xc0' },
  ...changes,
});
const block = (logs: readonly ChainLog[]): BlockAppended => ({
  ...{ chainId: 1, number: 5, hash: '0xb5', parentHash: '0xb4', time: 50, part: 1, parts: 1, logs: [...logs] },
});
const transaction = (changes: Partial<OwnTransaction> = {}): OwnTransaction => ({
  ...{ hash: '0x71', batchId: 'batch', isOpen: true, traceparent: null, signedAt: 0, secondsSinceSigned: 2 },
  ...changes,
});
const stamp = (stampId: string, changes: Partial<StampOfBlock> = {}): StampOfBlock => ({
  ...{ stampId, version: 1, collectionName: null, collectionBlock: null, collectionId: null, content: null },
  ...{ replyTo: null, requestId: null, traceparent: null, clientRef: null, requestedAt: 40, batchId: 'batch' },
  ...{ transactionHash: '0x71', batchIndex: 0, account: '0xaa', setCid: zeroCid, objectCid: '0xc0' },
  ...changes,
});
const nothing: BlockFacts = { transactions: [], stamps: [], recordedLogs: [] };
const ours = (...stamps: StampOfBlock[]): BlockFacts => ({ ...nothing, transactions: [transaction()], stamps });
const plan = (logs: readonly ChainLog[], facts: BlockFacts, confirms = true) =>
  planBlock(block(logs), facts, { operator, confirms });

describe('the plan of a block (I1)', () => {
  it('confirms a stamp by its log, with the facts of the block', () => {
    const { batchIds, stamps, confirmed, included, unmatched } = plan([log(3)], ours(stamp('a', { batchIndex: 7 })));
    expect({ batchIds, unmatched }).toEqual({ batchIds: ['batch'], unmatched: undefined });
    expect(stamps).toEqual([{ stampId: 'a', batchId: 'batch', batchIndex: 7, transactionHash: '0x71', logIndex: 3 }]);
    expect(confirmed).toMatchObject([{ stampId: 'a', version: 2, batchId: 'batch', requestedAt: 40 }]);
    expect(confirmed[0]?.receipt).toEqual({
      ...{ transactionHash: '0x71', logIndex: 3, blockNumber: 5, blockHash: '0xb5', blockTime: 50, chainId: 1 },
      ...{ account: '0xaa', setCid: zeroCid, objectCid: '0xc0' },
    });
    expect(included).toEqual([{ seconds: 2, stamps: 1 }]);
  });

  it('includes a stamp, and confirms none, where deeper blocks confirm', () => {
    const { stamps, confirmed } = plan([log(3)], ours(stamp('a')), false);
    expect([stamps.length, confirmed]).toEqual([1, []]);
  });

  it('counts a stamp that was taken back by its stream: the second confirmation has the version after the reversion', () => {
    expect(plan([log(3)], ours(stamp('a', { version: 3 }))).confirmed).toMatchObject([{ version: 4 }]);
  });

  it('changes nothing by transactions of others', () => {
    const { batchIds, stamps, confirmed, unmatched } = plan([log(3)], nothing);
    expect({ batchIds, stamps, confirmed, unmatched }).toEqual({
      ...{ batchIds: [], stamps: [], confirmed: [], unmatched: undefined },
    });
  });

  it('takes any version of a batch’s transaction, and the batch once', () => {
    const facts = {
      ...nothing,
      transactions: [transaction({ hash: '0x72' })],
      stamps: [stamp('a', { transactionHash: '0x72' })],
    };
    expect(plan([log(3, { transactionHash: '0x72' })], facts)).toMatchObject({
      ...{ batchIds: ['batch'], stamps: [{ stampId: 'a', transactionHash: '0x72' }] },
    });
  });

  it('includes no batch that was decided otherwise, and reports its log', () => {
    const facts = { ...nothing, transactions: [transaction({ isOpen: false })] };
    expect(plan([log(3)], facts)).toMatchObject({
      batchIds: [],
      stamps: [],
      unmatched: 'block 5 part 1: 1 logs, 0 stamps',
    });
  });

  it('reports a log of ours without a stamp, unless it was recorded before', () => {
    expect(plan([log(3), log(4)], ours(stamp('a'))).unmatched).toBe('block 5 part 1: 2 logs, 1 stamps');
    expect(plan([log(3), log(4)], { ...ours(stamp('a')), recordedLogs: [4] }).unmatched).toBeUndefined();
    expect(plan([log(3)], { ...ours(), recordedLogs: [3] })).toMatchObject({ stamps: [], unmatched: undefined });
  });

  it('gives a stamp one log, whatever batches it is in (I2)', () => {
    const twice = {
      ...nothing,
      transactions: [transaction(), transaction({ hash: '0x72', batchId: 'other' })],
      stamps: [stamp('a'), stamp('a', { transactionHash: '0x72', batchId: 'other' })],
    };
    const { stamps, unmatched } = plan([log(3), log(4, { transactionHash: '0x72' })], twice);
    expect(stamps).toMatchObject([{ logIndex: 3 }]);
    expect(unmatched).toBe('block 5 part 1: 2 logs, 1 stamps');
  });

  it('names collections whose AddSet was not seen, and sets, whichever transaction recorded them', () => {
    const set: Hex = '0x5e';
    const inSet = { collectionId: 9, setCid: set };
    const logs = [log(2, { kind: 'set', transactionHash: '0x99', setCid: '0x5f' }), log(3, { setCid: set })];
    const { standing, sets } = plan(logs, ours(stamp('a', inSet)));
    expect(standing).toEqual([{ collectionId: 9, transactionHash: '0x71' }]);
    expect(sets.map(({ logIndex }) => logIndex)).toEqual([2]);
    expect(plan(logs, ours(stamp('a', { ...inSet, collectionBlock: 4 }))).standing).toEqual([]);
  });

  it('names the block as that of a collection whose AddSet it has, of its owner alone', () => {
    const set: Hex = '0x5e';
    const facts = ours(stamp('a', { collectionId: 9, setCid: set }));
    const planned = (user: Hex) => plan([log(2, { kind: 'set', user, setCid: set }), log(3, { setCid: set })], facts);
    expect(planned('0xaa')).toMatchObject({ standing: [], confirmed: [{ collectionBlock: 5 }] });
    expect(planned('0xbb')).toMatchObject({ standing: [{ collectionId: 9 }], confirmed: [{ collectionBlock: null }] });
  });

  it('takes the last grant or revocation of each user, of this operator alone', () => {
    const by = (logIndex: number, kind: 'grant' | 'revoke', user: Hex, delegate: Hex = operator) =>
      log(logIndex, { kind, user, delegate });
    const logs = [
      by(0, 'grant', '0x01'),
      by(1, 'revoke', '0x01'),
      by(2, 'grant', '0x02'),
      by(3, 'grant', '0x03', '0xee'),
    ];
    expect([...plan(logs, nothing).delegations]).toEqual([
      ['0x01', 'revoke'],
      ['0x02', 'grant'],
    ]);
  });

  it('traces batches that have a trace, and times each batch once', () => {
    const facts = {
      ...nothing,
      transactions: [
        transaction({ traceparent: 'trace' }),
        transaction({ hash: '0x72', batchId: 'other', secondsSinceSigned: 9 }),
      ],
      stamps: [
        stamp('a'),
        stamp('b', { objectCid: '0xc1' }),
        stamp('c', { transactionHash: '0x72', batchId: 'other' }),
      ],
    };
    const logs = [log(0), log(1, { objectCid: '0xc1' }), log(2, { transactionHash: '0x72' })];
    const { traced, included } = plan(logs, facts);
    expect(traced.map(({ hash }) => hash)).toEqual(['0x71']);
    expect(included).toEqual([
      { seconds: 2, stamps: 2 },
      { seconds: 9, stamps: 1 },
    ]);
  });
});
