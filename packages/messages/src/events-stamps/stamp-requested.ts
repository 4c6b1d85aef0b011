import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Address, Bytes32, Instant, nullable, ReplyTo, StagedContent, Uuid } from '../fields.ts';
import { shardOf } from '../shard.ts';

/** A new stamp is in flight: it ends in StampConfirmed or StampFailed (I6). */
export const StampRequested = defineMessage({
  type: 'StampRequested',
  version: 2,
  packed: true,
  topic: 'events.stamps',
  producer: 'stamping',
  consumers: ['storage'],
  schema: Type.Object({
    stampId: Uuid,
    account: Address,
    setCid: Bytes32,
    objectCid: Bytes32,
    collectionName: nullable(Type.String()),
    content: nullable(StagedContent),
    replyTo: ReplyTo,
    requestedAt: Instant,
  }),
  key: (data) => shardOf(data.stampId),
  label: (data) => (data.content === null ? 'no-content' : undefined),
  pooled: { label: 'no-content', prefix: 'stamp-', by: 'stampId' },
});
export type StampRequested = DataOf<typeof StampRequested>;
