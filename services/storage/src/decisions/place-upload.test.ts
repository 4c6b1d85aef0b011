import type { Hex } from '@indelible/identifiers';
import { maxUploadReceipts, type Receipt } from '@indelible/messages';
import { describe, expect, it } from '@jest/globals';
import { type CommitmentRecord, placeUpload } from './place-upload.ts';

const hex = (digit: string, bytes: number): Hex => `0x${digit.repeat(2 * bytes)}`;
const receipt = (transaction: string, logIndex: number, blockNumber: number): Receipt => ({
  transactionHash: hex(transaction, 32),
  logIndex,
  blockNumber,
  blockHash: hex('b', 32),
  blockTime: 1_000 + blockNumber,
  chainId: 1,
  account: hex('a', 20),
  setCid: hex('5', 32),
  objectCid: hex('0', 32),
});
const record = (of: Receipt, stampId: string, change: Partial<CommitmentRecord> = {}): CommitmentRecord => ({
  stampId,
  recreated: false,
  chainId: of.chainId,
  blockNumber: of.blockNumber,
  transactionHash: of.transactionHash,
  logIndex: of.logIndex,
  file: null,
  ...change,
});
const [first, second] = [receipt('1', 0, 7), receipt('2', 3, 8)];

describe('placing uploaded content', () => {
  it('makes a copy for each commitment, the earliest first, with or without a record', () => {
    expect(placeUpload([second, first], [record(second, 's2')])).toEqual({
      kind: 'created',
      copies: [
        { receipt: first, record: null },
        { receipt: second, record: record(second, 's2') },
      ],
    });
  });

  it('finds the earliest commitment that has a file, and makes no copy for the others', () => {
    const third = receipt('3', 0, 9);
    const records = [record(third, 's3', { file: 'success' }), record(second, 's2', { file: 'success' })];
    expect(placeUpload([third, second, first], records)).toEqual({ kind: 'existing', receipt: second, stampId: 's2' });
  });

  it('takes a file that is just being stored for one, and a failed one for none', () => {
    expect(placeUpload([first], [record(first, 's1', { file: 'pending' })])).toMatchObject({ kind: 'existing' });
    const failed = record(first, 's1', { file: 'failed' });
    expect(placeUpload([first], [failed])).toEqual({ kind: 'created', copies: [{ receipt: first, record: failed }] });
  });

  it('gives the copy to the stamp when a recreated record tells of the same commitment', () => {
    const recreated = record(first, 'r', { recreated: true });
    expect(placeUpload([first], [recreated, record(first, 's1')])).toMatchObject({
      copies: [{ record: { stampId: 's1' } }],
    });
  });

  it('knows a commitment whose transaction a reorg moved to another block, by the order of its logs', () => {
    const [moved, later] = [receipt('1', 4, 9), receipt('1', 6, 9)];
    const records = [record(receipt('1', 5, 7), 'b', { file: 'success' }), record(receipt('1', 2, 7), 'a')];
    expect(placeUpload([later, moved], records)).toEqual({ kind: 'existing', receipt: later, stampId: 'b' });
  });

  it('knows a file of a stamp that a reorg brought into another transaction before its message is here (I4)', () => {
    const gone = record(first, 's1', { file: 'success' });
    expect(placeUpload([receipt('9', 0, 8)], [gone])).toMatchObject({ kind: 'existing', stampId: 's1' });
    expect(placeUpload([receipt('9', 0, 8)], [{ ...gone, file: null }])).toMatchObject({ copies: [{ record: null }] });
  });

  it('finds the file of a commitment that is not among so many as a command tells of', () => {
    const told = Array.from({ length: maxUploadReceipts }, (_value, i) => receipt('1', i, 7));
    const records = told.map((one) => record(one, `s${one.logIndex}`));
    const later = record(second, 'later', { file: 'success' });
    expect(placeUpload(told, [...records, later])).toEqual({ kind: 'existing', receipt: told[0], stampId: 'later' });
    expect(placeUpload(told.slice(1), [...records.slice(1), later])).toMatchObject({ kind: 'created' });
  });

  it('tells commitments of equal transactions on two chains apart', () => {
    const elsewhere = record(first, 's1', { chainId: 2 });
    expect(placeUpload([first], [elsewhere])).toMatchObject({ copies: [{ record: null }] });
  });
});
