import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Bytes32, Count, nullable } from '../fields.ts';
import { CollectionCreatedV1 } from './collection-created-v1.ts';

/** The collection's AddSet by its owner is on the canonical chain. */
export const CollectionCreated = defineMessage({
  ...CollectionCreatedV1,
  version: 2,
  schema: Type.Object({
    ...CollectionCreatedV1.schema.properties,
    blockHash: Bytes32,
    /**
     * Of its AddSet in the block. Null for a set on the chain before its registration, which a transaction of this
     * block showed.
     */
    logIndex: nullable(Count),
  }),
});
export type CollectionCreated = DataOf<typeof CollectionCreated>;
