import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Address, Bytes32, Count, Instant, nullable, ReplyTo, StagedContent, TargetSet, Uuid } from '../fields.ts';
import { shardOf } from '../shard.ts';

/**
 * The former version, without the caller's own reference.
 * No longer published. What is in the topic is handled as if it had none.
 */
export const RequestStampV2 = defineMessage({
  type: 'RequestStamp',
  version: 2,
  packed: true,
  topic: 'commands.stamps',
  producer: 'gateway',
  consumers: ['stamping'],
  schema: Type.Object({
    requestId: Uuid,
    account: Address,
    set: TargetSet,
    /** The set CID as the gateway sees it: it orders the requests of an identity, stamping decides by its own. */
    setCidHint: Bytes32,
    objectCid: Bytes32,
    /** Null makes a new stamp in any case (`idempotent=false`). */
    idempotency: nullable(Type.Object({ windowSeconds: Count })),
    /** Null when nothing is to be stored. */
    content: nullable(StagedContent),
    /** Whether the gateway waits for more than the outcome: that a new stamp is made, too. */
    awaits: Type.Union([Type.Literal('decision'), Type.Literal('outcome')]),
    replyTo: ReplyTo,
    requestedAt: Instant,
  }),
  // Of one identity are one account and object; the set may not be known by its CID yet. What shares a partition is not decided at the same
  // time, which I2 needs beside the index of stamps in flight: a replica that stands still between reading an identity and recording its
  // stamp would not see one that another replica has recorded, and that is confirmed, meanwhile.
  key: (data) => shardOf(data.objectCid),
});
export type RequestStampV2 = DataOf<typeof RequestStampV2>;
