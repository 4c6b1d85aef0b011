import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Address, Bytes32, Count, Instant, nullable, ReplyTo, StagedContent, TargetSet, Uuid } from '../fields.ts';
import { shardOf } from '../shard.ts';

/**
 * The former version, without the caller's own reference. No longer published. Those in the topic are handled as
 * without one.
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
    /** The set CID as the gateway sees it: orders the requests of an identity; stamping decides by its own. */
    setCidHint: Bytes32,
    objectCid: Bytes32,
    /** Null makes a new stamp in any case (`idempotent=false`). */
    idempotency: nullable(Type.Object({ windowSeconds: Count })),
    /** Null when nothing is to be stored. */
    content: nullable(StagedContent),
    /** `decision`: the gateway also needs a reply when a new stamp is made. */
    awaits: Type.Union([Type.Literal('decision'), Type.Literal('outcome')]),
    replyTo: ReplyTo,
    requestedAt: Instant,
  }),
  // An identity has one account and object; its set's CID may not be known yet. Requests of one partition are not
  // decided at the same time, which I2 needs beside the index of stamps in flight: a replica that pauses between
  // reading an identity and recording its stamp would miss one that another replica has recorded, and that is
  // confirmed, meanwhile.
  key: (data) => shardOf(data.objectCid),
});
export type RequestStampV2 = DataOf<typeof RequestStampV2>;
