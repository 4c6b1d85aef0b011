import type { Receipt, Reply, UploadOutcome } from '@indelible/messages';
import type { ReplyWaiter } from '@indelible/redis';
import { describe, expect, it } from '@jest/globals';
import { type AwaitedUpload, untilUploaded } from '../../decisions/wait-for-upload.ts';
import { awaitOutcome } from '../commands/await-outcome.ts';
import { waitOf } from '../stamping/waiting-room.ts';
import { type WatchUploadPorts, watchUpload } from './watch-upload.ts';

const receipt = { blockNumber: 7 } as Receipt;
const stored = { outcome: 'created', receipt, fileName: 'a', filePath: 'p/a' } as const;

/** Gets the given replies, then nothing. */
const waiterOf = (...replies: Reply[]): ReplyWaiter => ({
  listen: (hear) => replies.forEach(hear),
  close: () => {},
});
const awaitUpload = (
  ports: WatchUploadPorts,
  requestId: string,
  waiter: ReplyWaiter,
  signal: AbortSignal,
): Promise<AwaitedUpload> =>
  awaitOutcome(
    { rules: untilUploaded, state: undefined, watchStatus: (onStatus) => watchUpload(ports, requestId, onStatus) },
    waiter,
    waitOf(signal),
  );
const deaf = (findUpload: () => Promise<UploadOutcome | undefined>) => ({ findUpload, repliesArrive: () => false });
const never = new AbortController().signal;

describe('waiting for an upload', () => {
  it('ends with the reply, without querying storage', async () => {
    const waiter = waiterOf(
      { requestId: 'r', kind: 'decided', decision: 'new', stampId: 's' },
      { requestId: 'r', kind: 'uploaded', ...stored },
    );
    const ports = { findUpload: () => Promise.reject(new Error('not queried')), repliesArrive: () => true };
    expect(await awaitUpload(ports, 'r', waiter, never)).toMatchObject({ state: 'stored', ...stored });
  });

  it('queries storage while no replies are received, also while it is unavailable or has not decided', async () => {
    const answers: (UploadOutcome | Error | undefined)[] = [
      new Error('away'),
      undefined,
      { state: 'pending' },
      { state: 'stored', ...stored },
    ];
    const find = async (): Promise<UploadOutcome | undefined> => {
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    };
    expect(await awaitUpload(deaf(find), 'r', waiterOf(), never)).toEqual({ state: 'stored', ...stored });
    expect(answers).toEqual([]);
  });

  it('ends as refused when storage reports that the content cannot be stored', async () => {
    const failed = deaf(async () => ({ state: 'failed' }));
    expect(await awaitUpload(failed, 'r', waiterOf(), never)).toMatchObject({
      state: 'refused',
      refusal: { code: 'upload-failed' },
    });
  });

  it('ends at the limit, which may have passed already', async () => {
    const silent = { findUpload: async () => undefined, repliesArrive: () => true };
    const limit = new AbortController();
    const waiting = awaitUpload(silent, 'r', waiterOf(), limit.signal);
    limit.abort();
    expect(await waiting).toEqual({ state: 'limit' });
    expect(await awaitUpload(silent, 'r', waiterOf(), AbortSignal.abort())).toEqual({ state: 'limit' });
  });
});
