import type { Receipt, Reply } from '@indelible/messages';
import { describe, expect, it } from '@jest/globals';
import { applyReply, applyStatus, outcomeOf, type SeenStamp, type Waiting } from './wait-for-stamp.ts';

const requestId = 'r';
const receipt = { blockNumber: 5 } as Receipt;
const file = { fileName: 'f', filePath: 'p/f' };
const start: Waiting = { requestId, bringsContent: false, namesCollection: false };
const confirmed = (more: Partial<Extract<Reply, { kind: 'confirmed' }>> = {}): Reply => ({
  requestId,
  kind: 'confirmed',
  outcome: 'created',
  stampId: requestId,
  receipt,
  collectionCreated: false,
  awaitsFile: false,
  ...more,
});
const stored: Reply = { requestId, kind: 'stored', stampId: requestId, ...file };
const after = (replies: readonly Reply[], waiting = start): Waiting => replies.reduce(applyReply, waiting);
const seen = (more: Partial<SeenStamp> = {}): SeenStamp => ({
  id: requestId,
  receipt: null,
  refusal: null,
  fileName: null,
  filePath: null,
  fileFault: null,
  ...more,
});

describe('waiting by replies', () => {
  it('ends with the confirmation, not with the decision', () => {
    const decided = after([{ requestId, kind: 'decided', decision: 'new', stampId: requestId }]);
    expect(outcomeOf(decided, false)).toBeUndefined();
    expect(outcomeOf(applyReply(decided, confirmed()), false)).toMatchObject({
      kind: 'confirmed',
      outcome: 'created',
      receipt,
    });
  });
  it.each([
    ['after', [confirmed({ awaitsFile: true }), stored]],
    ['before', [stored, confirmed({ awaitsFile: true })]],
  ])('waits for the file, which may come %s the confirmation', (_when, replies) => {
    expect(outcomeOf(after(replies.slice(0, 1)), false)).toBeUndefined();
    expect(outcomeOf(after(replies), false)).toMatchObject({ kind: 'confirmed', file });
  });
  it('ends with a refusal', () => {
    const refusal = { code: 'invalid-text', message: 'm' } as const;
    expect(outcomeOf(after([{ requestId, kind: 'refused', refusal }]), false)).toEqual({ kind: 'refused', refusal });
  });
  it('distinguishes a stamp that was in flight from one that was confirmed already', () => {
    const joined: Reply = { requestId, kind: 'decided', decision: 'joined', stampId: 's' };
    const repeated = confirmed({ outcome: 'repeated', stampId: 's' });
    expect(outcomeOf(after([joined, repeated]), false)).toMatchObject({
      outcome: 'repeated',
      stampId: 's',
      fresh: true,
    });
    expect(outcomeOf(after([repeated]), false)).toMatchObject({ fresh: false });
  });
});

describe('waiting under respond-async', () => {
  it.each(['new', 'joined'] as const)('ends with the decision %s', (decision) => {
    expect(outcomeOf(after([{ requestId, kind: 'decided', decision, stampId: 's' }]), true)).toEqual({
      kind: 'accepted',
      stampId: 's',
    });
  });
  it('answers a confirmed stamp that it repeats as ever', () => {
    expect(outcomeOf(after([confirmed({ outcome: 'repeated', stampId: 's' })]), true)).toMatchObject({
      kind: 'confirmed',
      outcome: 'repeated',
    });
  });
  it('is accepted when its confirmation came before its decision', () => {
    expect(outcomeOf(after([confirmed()]), true)).toEqual({ kind: 'accepted', stampId: requestId });
  });
});

describe('waiting by status, when replies are lost', () => {
  it('continues while the stamp is in flight, and knows its id', () => {
    expect(outcomeOf(applyStatus(start, seen({ id: 's' })), false)).toBeUndefined();
    expect(applyStatus(start, seen({ id: 's' }))).toMatchObject({ stampId: 's', decision: 'joined' });
    expect(applyStatus(start, seen())).toMatchObject({ stampId: requestId, decision: 'new' });
  });
  it('ends with the receipt of its own stamp as created, of another as repeated', () => {
    expect(outcomeOf(applyStatus(start, seen({ receipt })), false)).toMatchObject({
      outcome: 'created',
    });
    expect(outcomeOf(applyStatus(start, seen({ id: 's', receipt })), false)).toMatchObject({
      outcome: 'repeated',
    });
  });
  it('waits for the file of its own stamp', () => {
    const bringing = { ...start, bringsContent: true };
    const noFile = applyStatus(bringing, seen({ receipt }));
    expect(outcomeOf(noFile, false)).toBeUndefined();
    expect(outcomeOf(applyStatus(noFile, seen({ receipt, ...file })), false)).toMatchObject({ file });
  });
  it('does not wait for a file that never will be stored, by reply or by status', () => {
    const bringing = { ...start, bringsContent: true };
    const failed: Reply = { requestId, kind: 'not-stored', stampId: requestId };
    expect(outcomeOf(after([confirmed({ awaitsFile: true }), failed]), false)).toMatchObject({
      file: undefined,
      receipt,
    });
    const fileFault = 'every name it may have is taken';
    expect(outcomeOf(applyStatus(bringing, seen({ receipt, fileFault })), false)).toMatchObject({
      file: undefined,
      receipt,
    });
  });
  it('does not wait for a file of a stamp it repeats', () => {
    const bringing = { ...start, bringsContent: true };
    expect(outcomeOf(applyStatus(bringing, seen({ id: 's', receipt })), false)).toMatchObject({
      kind: 'confirmed',
    });
  });
  it('supposes that a named collection was created with a new stamp', () => {
    const naming = { ...start, namesCollection: true };
    expect(outcomeOf(applyStatus(naming, seen({ receipt })), false)).toMatchObject({
      collectionCreated: true,
    });
  });
  it('ends with a failure and its reason', () => {
    const refusal = { code: 'stamp-failed', message: 'm' } as const;
    expect(outcomeOf(applyStatus(start, seen({ refusal })), false)).toEqual({ kind: 'refused', refusal });
  });
});
