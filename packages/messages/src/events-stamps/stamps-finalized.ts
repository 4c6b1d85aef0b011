import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Bytes32, Count, Uuid } from '../fields.ts';

/** The block of these stamps is final. */
export const StampsFinalized = defineMessage({
  type: 'StampsFinalized',
  version: 2,
  topic: 'events.stamps',
  producer: 'stamping',
  consumers: ['notifications'],
  schema: Type.Object({
    batchId: Uuid,
    chainId: Count,
    blockNumber: Count,
    blockHash: Bytes32,
    stampIds: Type.Array(Uuid),
  }),
  key: (data) => data.batchId,
});
export type StampsFinalized = DataOf<typeof StampsFinalized>;
