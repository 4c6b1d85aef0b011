import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Address, Bytes32, Count, Seconds } from '../fields.ts';

/** The collection's AddSet by its owner stands on the canonical chain. */
export const CollectionCreated = defineMessage({
  type: 'CollectionCreated',
  version: 1,
  topic: 'events.collections',
  producer: 'stamping',
  consumers: ['gateway', 'notifications'],
  schema: Type.Object({
    collectionId: Type.Integer({ minimum: 1 }),
    account: Address,
    cid: Bytes32,
    chainId: Count,
    transactionHash: Bytes32,
    blockNumber: Count,
    blockTime: Seconds,
  }),
  key: (data) => data.account,
});
export type CollectionCreated = DataOf<typeof CollectionCreated>;
