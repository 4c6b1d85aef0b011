import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Address, nullable, StagedContent, Uuid } from '../fields.ts';

/** A request asked for what `stampId` already is, in flight or confirmed: no second stamp is made (I2). */
export const StampRequestJoined = defineMessage({
  type: 'StampRequestJoined',
  version: 1,
  topic: 'events.stamps',
  producer: 'stamping',
  consumers: ['gateway', 'storage'],
  schema: Type.Object({
    requestId: Uuid,
    stampId: Uuid,
    account: Address,
    /** Content this request brought: stored for the stamp when that has no file yet. */
    content: nullable(StagedContent),
  }),
  key: (data) => data.stampId,
});
export type StampRequestJoined = DataOf<typeof StampRequestJoined>;
