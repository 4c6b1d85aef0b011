import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Address, Bytes32, Instant, Refusal, Uuid } from '../fields.ts';
import { shardOf } from '../shard.ts';

/** Like version 1, StampRequestRefused, for a request without content. A restore of stamping reads it. */
export const PlainRequestRefused = defineMessage({
  type: 'StampRequestRefused',
  version: 2,
  packed: true,
  topic: 'events.requests',
  producer: 'stamping',
  consumers: [],
  schema: Type.Object({
    requestId: Uuid,
    account: Address,
    setCid: Bytes32,
    objectCid: Bytes32,
    refusal: Refusal,
    requestedAt: Instant,
  }),
  key: (data) => shardOf(data.account),
});
export type PlainRequestRefused = DataOf<typeof PlainRequestRefused>;
