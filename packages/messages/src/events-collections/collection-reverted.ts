import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Address, Bytes32 } from '../fields.ts';

/** The collection's AddSet left the canonical chain: it is registered, and no longer created until recorded again. */
export const CollectionReverted = defineMessage({
  type: 'CollectionReverted',
  version: 1,
  topic: 'events.collections',
  producer: 'stamping',
  consumers: ['gateway'],
  schema: Type.Object({ collectionId: Type.Integer({ minimum: 1 }), account: Address, cid: Bytes32 }),
  key: (data) => data.account,
});
export type CollectionReverted = DataOf<typeof CollectionReverted>;
