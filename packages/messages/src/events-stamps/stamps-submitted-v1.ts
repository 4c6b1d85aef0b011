import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Address, Bytes32, Count, Uuid } from '../fields.ts';

/**
 * The former version, with only the ids of a batch's stamps. No longer published. Stays in the topic forever, and a
 * restore reads it.
 */
export const StampsSubmittedV1 = defineMessage({
  type: 'StampsSubmitted',
  version: 1,
  topic: 'events.stamps',
  producer: 'stamping',
  consumers: [],
  schema: Type.Object({
    batchId: Uuid,
    chainId: Count,
    lane: Address,
    nonce: Count,
    transactionHash: Bytes32,
    stampIds: Type.Array(Uuid),
  }),
  key: (data) => data.batchId,
});
export type StampsSubmittedV1 = DataOf<typeof StampsSubmittedV1>;
