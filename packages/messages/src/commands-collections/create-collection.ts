import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Address, Bytes32, Instant, nullable, ReplyTo, Uuid } from '../fields.ts';

/** Registers a collection and records it on chain. */
export const CreateCollection = defineMessage({
  type: 'CreateCollection',
  version: 1,
  topic: 'commands.collections',
  producer: 'gateway',
  consumers: ['stamping'],
  schema: Type.Object({
    requestId: Uuid,
    account: Address,
    name: Type.String({ minLength: 1 }),
    /** Null: the CID of the name. */
    cid: nullable(Bytes32),
    description: nullable(Type.String({ minLength: 1 })),
    isPinned: Type.Boolean(),
    replyTo: ReplyTo,
    requestedAt: Instant,
  }),
  key: (data) => data.account,
});
export type CreateCollection = DataOf<typeof CreateCollection>;
