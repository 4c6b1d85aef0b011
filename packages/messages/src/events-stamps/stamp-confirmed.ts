import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { nullable, Receipt, ReplyTo, StagedContent, Uuid } from '../fields.ts';
import { shardOf } from '../shard.ts';

/** The commitment is in a block of the canonical chain at the configured depth (I1). */
export const StampConfirmed = defineMessage({
  type: 'StampConfirmed',
  version: 2,
  packed: true,
  topic: 'events.stamps',
  producer: 'stamping',
  consumers: ['gateway', 'storage'],
  schema: Type.Object({
    stampId: Uuid,
    receipt: Receipt,
    collectionName: nullable(Type.String()),
    content: nullable(StagedContent),
    replyTo: ReplyTo,
  }),
  key: (data) => shardOf(data.stampId),
});
export type StampConfirmed = DataOf<typeof StampConfirmed>;
