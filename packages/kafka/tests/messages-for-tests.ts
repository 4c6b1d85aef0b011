import { randomUUID } from 'node:crypto';
import { type DataOf, StampFailed, StampRequestJoined } from '@indelible/messages';
import { type OutgoingMessage, outgoing } from '../src/message.ts';

export const contracts = [StampFailed, StampRequestJoined];

/** A message of events.stamps: `code` tells it from others, equal stamps keep their order. */
export const failedStamp = (stampId: string, code: string): OutgoingMessage<typeof StampFailed> => {
  const data: DataOf<typeof StampFailed> = { stampId, refusal: { code, message: 'for a test' } };
  return outgoing(StampFailed, data, { id: randomUUID(), time: new Date().toISOString() });
};
