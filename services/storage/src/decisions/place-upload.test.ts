import type { Hex } from '@indelible/identifiers';
import { maxUploadReceipts, type Receipt, type StampOfReceipt } from '@indelible/messages';
import { describe, expect, it } from '@jest/globals';
import { type CommitmentRecord, haveRecords, placeUpload } from './place-upload.ts';

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
/** Placed by records alone. */
const place = (receipts: readonly Receipt[], records: readonly CommitmentRecord[]) =>
  placeUpload(
    receipts.map((one) => ({ receipt: one, stamp: undefined })),
    records,
  );
const stamp = (stampId: string): StampOfReceipt => ({
  ...{ stampId, isRecorded: true, collectionName: null, requestId: null, clientRef: null },
});
const [first, second] = [receipt('1', 0, 7), receipt('2', 3, 8)];

describe('placing uploaded content', () => {
  it('makes a copy for each commitment, the earliest first, with or without a record', () => {
    expect(place([second, first], [record(second, 's2')])).toEqual({
      kind: 'created',
      copies: [
        { receipt: first, stamp: null, record: null },
        { receipt: second, stamp: null, record: record(second, 's2') },
      ],
    });
  });

  it('finds the earliest commitment that has a file, and makes no copy for the others', () => {
    const third = receipt('3', 0, 9);
    const records = [record(third, 's3', { file: 'success' }), record(second, 's2', { file: 'success' })];
    expect(place([third, second, first], records)).toEqual({
      ...{ kind: 'existing', receipt: second, stampId: 's2', owner: null },
    });
  });

  it('takes a file that is just being stored for one, and a failed one for none', () => {
    expect(place([first], [record(first, 's1', { file: 'pending' })])).toMatchObject({ kind: 'existing' });
    const failed = record(first, 's1', { file: 'failed' });
    expect(place([first], [failed])).toEqual({
      kind: 'created',
      copies: [{ receipt: first, stamp: null, record: failed }],
    });
  });

  it('gives the copy to the stamp when a recreated record has the same commitment', () => {
    const recreated = record(first, 'r', { recreated: true });
    expect(place([first], [recreated, record(first, 's1')])).toMatchObject({
      copies: [{ record: { stampId: 's1' } }],
    });
  });

  it('knows a commitment whose transaction a reorg moved to another block, by the order of its logs', () => {
    const [moved, later] = [receipt('1', 4, 9), receipt('1', 6, 9)];
    const records = [record(receipt('1', 5, 7), 'b', { file: 'success' }), record(receipt('1', 2, 7), 'a')];
    expect(place([later, moved], records)).toEqual({
      ...{ kind: 'existing', receipt: later, stampId: 'b', owner: null },
    });
  });

  it('knows a file of a stamp that a reorg brought into another transaction before its message is here (I4)', () => {
    const gone = record(first, 's1', { file: 'success' });
    expect(place([receipt('9', 0, 8)], [gone])).toMatchObject({ kind: 'existing', stampId: 's1' });
    expect(place([receipt('9', 0, 8)], [{ ...gone, file: null }])).toMatchObject({ copies: [{ record: null }] });
  });

  it('finds the file of a commitment beyond the number that a command can list', () => {
    const receipts = Array.from({ length: maxUploadReceipts }, (_value, i) => receipt('1', i, 7));
    const records = receipts.map((one) => record(one, `s${one.logIndex}`));
    const later = record(second, 'later', { file: 'success' });
    expect(place(receipts, [...records, later])).toEqual({
      ...{ kind: 'existing', receipt: receipts[0], stampId: 'later', owner: null },
    });
    expect(place(receipts.slice(1), [...records.slice(1), later])).toMatchObject({ kind: 'created' });
  });

  it('distinguishes commitments of equal transactions on two chains', () => {
    const elsewhere = record(first, 's1', { chainId: 2 });
    expect(place([first], [elsewhere])).toMatchObject({ copies: [{ record: null }] });
  });
});

describe('placing uploaded content of which stamping says whose it is', () => {
  it('makes the copy the stamp’s, whether or not it has a record, and wherever that says it was (I4)', () => {
    const moved = record(receipt('7', 5, 3), 's2');
    const commitments = [
      { receipt: first, stamp: stamp('s1') },
      { receipt: second, stamp: stamp('s2') },
    ];
    expect(placeUpload(commitments, [moved])).toEqual({
      kind: 'created',
      copies: [
        { receipt: first, stamp: stamp('s1'), record: null },
        { receipt: second, stamp: stamp('s2'), record: moved },
      ],
    });
  });

  it('finds the file of the stamp in its record of another place', () => {
    const moved = record(receipt('7', 5, 3), 's1', { file: 'success' });
    expect(placeUpload([{ receipt: first, stamp: stamp('s1') }], [moved])).toEqual({
      ...{ kind: 'existing', receipt: first, stampId: 's1', owner: null },
    });
  });

  it('takes no record of another stamp for its own, though it is of the same place, or its place is gone', () => {
    const commitments = [{ receipt: first, stamp: stamp('s1') }];
    for (const place of [first, receipt('7', 5, 3)])
      expect(placeUpload(commitments, [record(place, 's9', { file: 'success' })])).toMatchObject({
        copies: [{ stamp: { stampId: 's1' }, record: null }],
      });
  });

  it('gives the file of a recreated record to the stamp that it turns out to be of', () => {
    const recreated = record(first, 'r', { recreated: true, file: 'success' });
    const commitments = [{ receipt: first, stamp: stamp('s1') }];
    expect(placeUpload(commitments, [recreated])).toMatchObject({ stampId: 'r', owner: { stampId: 's1' } });
    // As after a reorg: its own record is off the chain, or of another position.
    for (const place of [first, receipt('7', 5, 3)])
      expect(placeUpload(commitments, [recreated, record(place, 's1')])).toMatchObject({
        ...{ stampId: 'r', owner: { stampId: 's1' } },
      });
    const failed = { ...recreated, file: 'failed' as const };
    expect(placeUpload(commitments, [failed])).toMatchObject({ copies: [{ stamp: { stampId: 's1' }, record: null }] });
  });

  it('recreates the record of a commitment that is no stamp’s, once', () => {
    const commitments = [{ receipt: first, stamp: null }];
    expect(placeUpload(commitments, [])).toMatchObject({ copies: [{ stamp: null, record: null }] });
    const recreated = record(first, 'r', { recreated: true, file: 'success' });
    expect(placeUpload(commitments, [recreated])).toMatchObject({ stampId: 'r', owner: null });
  });
});

it('records are enough when each commitment has its stamp’s, at its place', () => {
  const records = [record(first, 's1'), record(second, 's2')];
  expect(haveRecords([first, second], records)).toBe(true);
  expect(haveRecords([first, receipt('9', 0, 9)], records)).toBe(false);
  const recreated = record(first, 'r', { recreated: true });
  expect(haveRecords([first], [recreated])).toBe(false);
  expect(haveRecords([first, second], [...records, recreated])).toBe(false);
});
