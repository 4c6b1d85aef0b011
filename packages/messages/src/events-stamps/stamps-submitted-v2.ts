import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Address, Bytes32, Count, Instant, Uuid } from '../fields.ts';
import { stampIdentity } from '../stamp-identity.ts';

/** Version 1 with whose stamps they are and what of: subscribers need no other source. */
export const StampsSubmittedV2 = defineMessage({
  type: 'StampsSubmitted',
  version: 2,
  topic: 'events.stamps',
  producer: 'stamping',
  consumers: ['gateway', 'notifications'],
  schema: Type.Object({
    batchId: Uuid,
    chainId: Count,
    lane: Address,
    nonce: Count,
    transactionHash: Bytes32,
    submittedAt: Instant,
    stamps: Type.Array(Type.Object(stampIdentity)),
  }),
  key: (data) => data.batchId,
});
export type StampsSubmittedV2 = DataOf<typeof StampsSubmittedV2>;
