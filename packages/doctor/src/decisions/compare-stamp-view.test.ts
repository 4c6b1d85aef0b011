import type { Hex } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import type { ReceiptFields } from './compare-receipt.ts';
import { judgeGatewayStamp, judgeUnknownStamp, type StampPair } from './compare-stamp-view.ts';

const word = (digit: string): Hex => `0x${digit.repeat(64)}`;
const named = { account: `0x${'a'.repeat(40)}` as Hex, setCid: word('5'), objectCid: word('6') };
const receipt: ReceiptFields = {
  ...named,
  transactionHash: word('d'),
  logIndex: 1,
  blockNumber: 7,
  blockHash: word('b'),
  blockTime: 1_000,
  chainId: 1,
};
const confirmed: StampPair = {
  ...named,
  status: 'confirmed',
  receipt,
  isSettled: true,
  filePath: 'a/b',
  batchStatus: 'included',
  isToldFinal: false,
  shown: { ...named, status: 'confirmed', finalized: false, receipt, filePath: 'a/b' },
};
const shown = (changes: Partial<NonNullable<StampPair['shown']>>, more: Partial<StampPair> = {}): StampPair => ({
  ...confirmed,
  ...more,
  shown: { status: 'confirmed', finalized: false, receipt, filePath: 'a/b', ...named, ...changes },
});

describe('a stamp and what the gateway shows of it', () => {
  it('agree, also about one that is on its way, or final', () => {
    expect(judgeGatewayStamp(confirmed)).toEqual([]);
    for (const status of ['requested', 'included'])
      for (const told of ['accepted', 'submitted'])
        expect(judgeGatewayStamp(shown({ status: told, receipt: null }, { status, receipt: null }))).toEqual([]);
    const final = { batchStatus: 'finalized', isToldFinal: true };
    expect(judgeGatewayStamp(shown({ finalized: true }, final))).toEqual([]);
  });

  it('are not judged while the last event may still be on its way', () => {
    expect(judgeGatewayStamp({ ...confirmed, isSettled: false, shown: null })).toEqual([]);
    expect(judgeGatewayStamp({ ...confirmed, isSettled: null, shown: null })).toEqual([]);
  });

  it.each<[string, StampPair]>([
    ['is confirmed, the gateway does not show it', { ...confirmed, shown: null }],
    ['is confirmed, the gateway shows it submitted', shown({ status: 'submitted', receipt: null })],
    ['is failed, the gateway shows it confirmed', shown({}, { status: 'failed' })],
    ['is requested, the gateway shows it confirmed', shown({}, { status: 'requested' })],
    ['the gateway shows another receipt (blockHash)', shown({ receipt: { ...receipt, blockHash: word('c') } })],
    ['is final, the gateway does not show it so', shown({}, { isToldFinal: true, batchStatus: 'finalized' })],
    ['is not final, the gateway shows it so', shown({ finalized: true })],
    ['the gateway shows another account, setCid', shown({ account: '0x1', setCid: word('1') })],
    ['its file is a/b, the gateway shows none', shown({ filePath: null })],
  ])('differ: %s', (what, pair) => {
    expect(judgeGatewayStamp(pair)).toEqual([what]);
  });
});

describe('a stamp that the gateway shows', () => {
  it('is known, or was refused', () => {
    expect(judgeUnknownStamp({ status: 'failed', isStamp: false, requestEvent: null, isOld: true })).toBeUndefined();
    expect(judgeUnknownStamp({ status: 'accepted', isStamp: true, requestEvent: null, isOld: false })).toBeUndefined();
    expect(
      judgeUnknownStamp({ status: 'failed', isStamp: false, requestEvent: 'StampRequestRefused', isOld: false }),
    ).toBeUndefined();
  });

  it.each([
    ['accepted', null, /stamping knows nothing of it/],
    ['confirmed', null, /shows it confirmed, stamping knows nothing/],
    ['accepted', 'StampRequestRefused', /was refused/],
    ['accepted', 'StampRequestJoined', /joined another stamp/],
  ])('%s, with the event %s, is told of (I6)', (status, requestEvent, what) => {
    expect(judgeUnknownStamp({ status, isStamp: false, requestEvent, isOld: false })?.what).toMatch(what);
  });
});
