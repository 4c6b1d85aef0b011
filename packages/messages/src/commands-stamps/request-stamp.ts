import { zeroCid } from '@indelible/identifiers';
import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Address, Bytes32, Count, Instant, nullable, ReplyTo, StagedContent, TargetSet, Uuid } from '../fields.ts';

/** Asks for one stamp. The request's id becomes the stamp's when a new one is made. */
export const RequestStamp = defineMessage({
  type: 'RequestStamp',
  version: 1,
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
    replyTo: ReplyTo,
    requestedAt: Instant,
  }),
  key: (data) => `${data.account}:${data.setCidHint === zeroCid ? '' : data.setCidHint}:${data.objectCid}`,
});
export type RequestStamp = DataOf<typeof RequestStamp>;
