import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { nullable, Receipt, ReplyTo, StagedContent, Uuid } from '../fields.ts';
import { shardOf } from '../shard.ts';

/**
 * The former version, without the batch, the HTTP request and the reference. No longer published. Stays in the topic
 * forever, and a restore reads it.
 */
export const StampConfirmedV2 = defineMessage({
  type: 'StampConfirmed',
  version: 2,
  packed: true,
  topic: 'events.stamps',
  producer: 'stamping',
  consumers: ['storage'],
  schema: Type.Object({
    stampId: Uuid,
    receipt: Receipt,
    collectionName: nullable(Type.String()),
    content: nullable(StagedContent),
    replyTo: ReplyTo,
  }),
  key: (data) => shardOf(data.stampId),
  label: (data) => (data.content === null ? 'no-content' : undefined),
});
export type StampConfirmedV2 = DataOf<typeof StampConfirmedV2>;
