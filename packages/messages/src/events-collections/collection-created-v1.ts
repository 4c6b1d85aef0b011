import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Address, Bytes32, Count, Seconds } from '../fields.ts';

/**
 * The former version, without the block's hash and the place of the log. Published for collections whose block was read
 * by a release that did not keep them. Stays in the topic forever, and a rebuild reads it (I8).
 */
export const CollectionCreatedV1 = defineMessage({
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
export type CollectionCreatedV1 = DataOf<typeof CollectionCreatedV1>;
