import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Address, Uuid } from '../fields.ts';
import { shardOf } from '../shard.ts';

/** Like version 2, StampRequestJoined, for a request without content. A restore of stamping reads it. */
export const PlainRequestJoined = defineMessage({
  type: 'StampRequestJoined',
  version: 3,
  packed: true,
  topic: 'events.requests',
  producer: 'stamping',
  consumers: [],
  schema: Type.Object({ requestId: Uuid, stampId: Uuid, account: Address }),
  key: (data) => shardOf(data.stampId),
});
export type PlainRequestJoined = DataOf<typeof PlainRequestJoined>;
