import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Instant, nullable, Uuid } from '../fields.ts';
import { StampReverted } from './stamp-reverted.ts';

/** Version 2 with the batch whose block is gone, and what its owner knows the stamp by. */
export const StampRevertedV3 = defineMessage({
  ...StampReverted,
  version: 3,
  consumers: ['gateway', 'notifications', 'storage'],
  schema: Type.Object({
    ...StampReverted.schema.properties,
    requestId: nullable(Uuid),
    batchId: Uuid,
    collectionName: nullable(Type.String()),
    clientRef: nullable(Type.String()),
    revertedAt: Instant,
  }),
});
export type StampRevertedV3 = DataOf<typeof StampRevertedV3>;
