import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Address, Bytes32, Instant, nullable } from '../fields.ts';

/** The account has this collection; it is created when its AddSet is on the chain. */
export const CollectionRegistered = defineMessage({
  type: 'CollectionRegistered',
  version: 1,
  topic: 'events.collections',
  producer: 'stamping',
  consumers: ['gateway', 'notifications', 'verification'],
  schema: Type.Object({
    collectionId: Type.Integer({ minimum: 1 }),
    account: Address,
    cid: Bytes32,
    name: Type.String({ minLength: 1 }),
    description: nullable(Type.String()),
    isPinned: Type.Boolean(),
    isPublic: Type.Boolean(),
    registeredAt: Instant,
  }),
  key: (data) => data.account,
});
export type CollectionRegistered = DataOf<typeof CollectionRegistered>;
