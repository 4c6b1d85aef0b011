import { randomUUID } from 'node:crypto';
import { CreateCollection, type DataOf, StampFailedV1, StampRequested, StampRequestJoined } from '@indelible/messages';
import { type OutgoingMessage, outgoing } from '../src/message.ts';

export const contracts = [StampFailedV1, StampRequestJoined];

/** A message of events.stamps: `code` tells it from others, equal stamps keep their order. */
export const failedStamp = (stampId: string, code: string): OutgoingMessage<typeof StampFailedV1> => {
  const data: DataOf<typeof StampFailedV1> = { stampId, refusal: { code, message: 'for a test' } };
  return outgoing(StampFailedV1, data, { id: randomUUID(), time: new Date().toISOString() });
};

/** A message of events.stamps whose record says that no content comes with it. */
export const plainStamp = (): OutgoingMessage<typeof StampRequested> => {
  const [account, cid, time] = [`0x${'aa'.repeat(20)}`, `0x${'bb'.repeat(32)}`, new Date().toISOString()] as const;
  const identity = { stampId: randomUUID(), account, setCid: cid, objectCid: cid, collectionName: null };
  const data: DataOf<typeof StampRequested> = { ...identity, content: null, replyTo: null, requestedAt: time };
  return outgoing(StampRequested, data, { id: randomUUID(), time });
};

/** A command of one account's: they share a partition. */
export const newCollection = (name: string): OutgoingMessage<typeof CreateCollection> => {
  const requestedAt = new Date().toISOString();
  const account = `0x${'aa'.repeat(20)}` as const;
  const data = {
    requestId: randomUUID(),
    account,
    name,
    cid: null,
    description: null,
    isPinned: false,
    replyTo: null,
    requestedAt,
  };
  return outgoing(CreateCollection, data, { id: data.requestId, time: requestedAt });
};
