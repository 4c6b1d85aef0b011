import { randomUUID } from 'node:crypto';
import type { Receipt, StagedContent } from '@indelible/messages';
import { describe, expect, it } from '@jest/globals';
import { type FileStatus, followStamp, type StampMessage, type StampState, unknownStamp } from './follow-stamp.ts';

const stampId = randomUUID();
const hash = (digit: string) => `0x${digit.repeat(64)}` as const;
const account = `0x${'a'.repeat(40)}` as const;
const content = (fileName = 'a.txt'): StagedContent => ({
  stagedId: randomUUID(),
  objectCid: hash('1'),
  size: 3,
  crc32c: 7,
  fileName,
});
const receipt: Receipt = {
  transactionHash: hash('2'),
  logIndex: 1,
  blockNumber: 5,
  blockHash: hash('3'),
  blockTime: 1_000,
  chainId: 1,
  account,
  setCid: hash('4'),
  objectCid: hash('1'),
};
const requested = (offered: StagedContent | null): StampMessage => ({
  id: randomUUID(),
  type: 'StampRequested',
  data: {
    stampId,
    account,
    setCid: hash('4'),
    objectCid: hash('1'),
    collectionName: null,
    content: offered,
    replyTo: 'gateway',
    requestedAt: '2026-01-01T00:00:00.000Z',
  },
});
const joined = (offered: StagedContent | null): StampMessage => ({
  id: randomUUID(),
  type: 'StampRequestJoined',
  data: { requestId: randomUUID(), stampId, account, content: offered },
});
const confirmed = (offered: StagedContent | null, blockNumber = 5): StampMessage => ({
  id: randomUUID(),
  traceparent: 'trace',
  type: 'StampConfirmed',
  data: {
    stampId,
    receipt: { ...receipt, blockNumber },
    collectionName: 'Photos',
    content: offered,
    replyTo: 'gateway',
    requestId: null,
    clientRef: 'row 1',
  },
});
const reverted: StampMessage = { id: randomUUID(), type: 'StampReverted', data: { stampId } };
const failed: StampMessage = {
  id: randomUUID(),
  type: 'StampFailed',
  data: { stampId },
};
const after = (...messages: StampMessage[]): StampState => followStamp(unknownStamp, messages).state;
const withFile = (state: StampState, file: FileStatus): StampState => ({ ...state, file, claim: null });

describe('followStamp', () => {
  it('claims a request’s content, and plans its file when the stamp is confirmed', () => {
    const offered = content();
    const first = followStamp(unknownStamp, [requested(offered)]);
    expect(first).toMatchObject({
      planned: null,
      discards: [],
      state: { claim: { stagedId: offered.stagedId }, file: null },
    });
    const second = followStamp(first.state, [confirmed(offered)]);
    expect(second).toMatchObject({
      planned: { replyTo: 'gateway', traceparent: 'trace' },
      discards: [],
      state: {
        file: 'pending',
        claim: { stagedId: offered.stagedId },
        confirmation: { blockNumber: 5, onChain: true },
      },
    });
  });

  it('plans nothing for a stamp without content', () => {
    expect(followStamp(unknownStamp, [requested(null), confirmed(null)])).toMatchObject({
      planned: null,
      state: { file: null },
    });
  });

  it('keeps content that a joining request brings only when the stamp has none', () => {
    const [first, second] = [content(), content()];
    expect(followStamp(after(requested(first)), [joined(second)])).toMatchObject({
      discards: [second.stagedId],
      state: { claim: { stagedId: first.stagedId } },
    });
    expect(followStamp(after(requested(null)), [joined(second)])).toMatchObject({
      discards: [],
      state: { claim: { stagedId: second.stagedId } },
    });
  });

  it('stores content that joins a confirmed stamp without a file, without a reply', () => {
    expect(followStamp(after(confirmed(null)), [joined(content())])).toMatchObject({
      planned: { replyTo: null },
      state: { file: 'pending' },
    });
  });

  it.each(['pending', 'success'] as const)('discards content for a stamp whose file is %s (I7)', (file) => {
    const offered = content();
    const state = withFile(after(confirmed(null)), file);
    for (const message of [joined(offered), confirmed(offered)])
      expect(followStamp(state, [message])).toMatchObject({
        planned: null,
        discards: [offered.stagedId],
        state: { file },
      });
  });

  it('tries again with new content when a file has failed', () => {
    const state = withFile(after(confirmed(null)), 'failed');
    expect(followStamp(state, [joined(content())])).toMatchObject({ state: { file: 'pending' } });
  });

  it('leaves a stored file alone through a reorg, and notes the new receipt (I4)', () => {
    const state = withFile(after(confirmed(null)), 'success');
    const change = followStamp(state, [reverted, confirmed(null, 9)]);
    expect(change).toMatchObject({
      planned: null,
      discards: [],
      state: { file: 'success', confirmation: { blockNumber: 9 } },
    });
  });

  it('waits for the next confirmation with content that comes while a reorg has the stamp', () => {
    const change = followStamp(after(confirmed(null)), [reverted, joined(content())]);
    expect(change).toMatchObject({ planned: null, state: { file: null, claim: expect.anything() } });
    expect(followStamp(change.state, [confirmed(null, 9)])).toMatchObject({ state: { file: 'pending' } });
  });

  it('discards what a failed stamp had claimed, but not what is being stored', () => {
    const offered = content();
    expect(followStamp(after(requested(offered)), [failed])).toMatchObject({
      discards: [offered.stagedId],
      state: { claim: null, file: null },
    });
    expect(followStamp(after(requested(offered), confirmed(offered)), [reverted, failed])).toMatchObject({
      discards: [],
      state: { claim: { stagedId: offered.stagedId }, file: 'pending' },
    });
  });

  it('names content that no path can be made of, and keeps a good claim beside it', () => {
    const bad = content('../x');
    expect(followStamp(unknownStamp, [requested(bad), confirmed(bad)])).toMatchObject({
      planned: null,
      discards: [bad.stagedId, bad.stagedId],
      faults: [expect.any(String), expect.any(String)],
      state: { file: 'failed', claim: null },
    });
    expect(followStamp(after(requested(content())), [joined(bad)])).toMatchObject({
      discards: [bad.stagedId],
      state: { file: null, claim: expect.anything() },
    });
  });
});
