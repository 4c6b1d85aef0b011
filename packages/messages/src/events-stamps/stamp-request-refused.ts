import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Address, Bytes32, Instant, nullable, Refusal, StagedContent, Uuid } from '../fields.ts';
import { shardOf } from '../shard.ts';

/**
 * A request that no stamp can answer, such as a collection's name whose CID another collection has. One without content
 * is a {@link PlainRequestRefused}.
 */
export const StampRequestRefused = defineMessage({
  type: 'StampRequestRefused',
  version: 1,
  topic: 'events.stamps',
  producer: 'stamping',
  consumers: ['storage'],
  schema: Type.Object({
    requestId: Uuid,
    account: Address,
    setCid: Bytes32,
    objectCid: Bytes32,
    refusal: Refusal,
    /** Null in records of earlier releases. */
    content: nullable(StagedContent),
    requestedAt: Instant,
  }),
  key: (data) => shardOf(data.requestId),
});
export type StampRequestRefused = DataOf<typeof StampRequestRefused>;
