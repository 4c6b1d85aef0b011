import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Instant, nullable, Uuid } from '../fields.ts';
import { StampRevertedV2 } from './stamp-reverted-v2.ts';

/**
 * A reorg removed the block of the stamp and its batch: it is in flight again, its former receipt no longer returned
 * (I4).
 */
export const StampReverted = defineMessage({
  ...StampRevertedV2,
  version: 3,
  consumers: ['notifications', 'storage'],
  schema: Type.Object({
    ...StampRevertedV2.schema.properties,
    requestId: nullable(Uuid),
    batchId: Uuid,
    collectionName: nullable(Type.String()),
    clientRef: nullable(Type.String()),
    revertedAt: Instant,
  }),
});
export type StampReverted = DataOf<typeof StampReverted>;
