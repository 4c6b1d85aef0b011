import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Address, nullable, StagedContent, Uuid } from '../fields.ts';
import { shardOf } from '../shard.ts';

/**
 * A request that `stampId`, in flight or confirmed, already answers: no second stamp is made (I2). One without content
 * is a {@link PlainRequestJoined}.
 */
export const StampRequestJoined = defineMessage({
  type: 'StampRequestJoined',
  version: 2,
  packed: true,
  topic: 'events.stamps',
  producer: 'stamping',
  consumers: ['storage'],
  schema: Type.Object({
    requestId: Uuid,
    stampId: Uuid,
    account: Address,
    /** Content of this request: stored for the stamp if that has no file yet. Null in records of earlier releases. */
    content: nullable(StagedContent),
  }),
  key: (data) => shardOf(data.stampId),
});
export type StampRequestJoined = DataOf<typeof StampRequestJoined>;
