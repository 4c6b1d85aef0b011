import { zeroCid } from '@indelible/identifiers';
import { expect, it } from '@jest/globals';
import { eventsOfFailed, type FailedStamp, repliesOfFailed } from './report-failed.ts';

const refusal = { code: 'stamp-failed', message: 'the chain refused the commitment' } as const;
const stamp: FailedStamp = {
  ...{ stampId: 'a', version: 2, replyTo: 'gateway-1', requestId: null, traceparent: 'trace', clientRef: null },
  ...{ account: '0xaa', setCid: zeroCid, objectCid: '0xc0', collectionName: null },
};

it('a failed stamp is reported with the reason, to its own request and to those that joined it (I6)', () => {
  expect(eventsOfFailed([stamp], refusal, '2026-01-01T00:00:00.000Z')).toMatchObject([
    {
      ...{ contract: { type: 'StampFailed' }, stream: 'stamp-a', version: 2, traceparent: 'trace' },
      data: { stampId: 'a', objectCid: '0xc0', refusal, failedAt: '2026-01-01T00:00:00.000Z' },
    },
  ]);
  const joined = [{ requestId: 'joined', stampId: 'a', replyTo: 'gateway-2' }];
  expect(repliesOfFailed([stamp, { ...stamp, stampId: 'b', replyTo: null }], joined, refusal)).toEqual([
    { replyTo: 'gateway-1', reply: { requestId: 'a', kind: 'refused', refusal } },
    { replyTo: 'gateway-2', reply: { requestId: 'joined', kind: 'refused', refusal } },
  ]);
});
