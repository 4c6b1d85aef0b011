import type { StampFacts, StampFile, StampStatus } from '@indelible/messages';
import { describe, expect, it } from '@jest/globals';
import { viewOf } from './stamp-view.ts';

const stampFacts = (more: Partial<StampFacts>): StampFacts => ({
  ...{ id: 's', account: '0xaa', objectCid: '0xbb', setCid: '0x00', requestedAt: '2026-01-02T03:04:05.678Z' },
  ...{ status: 'confirmed', receipt: null, refusal: null, hasContent: true, wasConfirmed: true },
  ...more,
});
const none = { fileName: null, filePath: null, fault: null };
const pending: StampFile = { stampId: 's', status: 'pending', came: 'with-stamp', ...none };
const stored: StampFile = { ...pending, status: 'success', fileName: 'f', filePath: 'p/f' };
const failed: StampFile = { ...pending, status: 'failed', fault: 'why' };

describe('the view of a stamp', () => {
  it.each<[string, StampStatus, StampFile | undefined, Partial<StampFacts>]>([
    ['is submitted until storage knows of its content', 'submitted', undefined, {}],
    ['is submitted until its file is stored', 'submitted', pending, {}],
    ['is submitted until its file is stored, though it is final', 'submitted', pending, { status: 'finalized' }],
    ['is confirmed with its file', 'confirmed', stored, {}],
    ['is final with its file', 'finalized', stored, { status: 'finalized' }],
    ['is confirmed without the file that never will be stored', 'confirmed', failed, {}],
    ['is confirmed while its content is stored later', 'confirmed', { ...pending, came: 'later' }, {}],
    ['is confirmed without a file when no content came', 'confirmed', undefined, { hasContent: false }],
    ['is what it is below its confirmation', 'accepted', undefined, { status: 'accepted' }],
    ['is failed', 'failed', undefined, { status: 'failed' }],
  ])('%s', (_what, status, file, more) => {
    expect(viewOf(stampFacts(more), file)).toMatchObject({ status });
  });

  it('shows the name, the path and the fault of its file', () => {
    expect(viewOf(stampFacts({}), stored)).toMatchObject({ fileName: 'f', filePath: 'p/f', fileFault: null });
    expect(viewOf(stampFacts({}), failed)).toMatchObject({ fileName: null, filePath: null, fileFault: 'why' });
  });
});
