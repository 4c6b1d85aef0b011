import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Address, Bytes32, Count, Instant, Uuid } from '../fields.ts';
import { stampIdentity } from '../stamp-identity.ts';

/** The most stamps in one message: whatever their names and references, it stays below the size limit. */
export const maxSubmittedStamps = 500;

/**
 * The former version, without the place of the submission among the events of each stamp. No longer published. Stays in
 * the topic forever, and a restore reads it.
 */
export const StampsSubmittedV2 = defineMessage({
  type: 'StampsSubmitted',
  version: 2,
  topic: 'events.stamps',
  producer: 'stamping',
  consumers: ['notifications'],
  schema: Type.Object({
    batchId: Uuid,
    chainId: Count,
    lane: Address,
    nonce: Count,
    transactionHash: Bytes32,
    submittedAt: Instant,
    /** From 1 to `parts`. */
    part: Type.Integer({ minimum: 1 }),
    parts: Type.Integer({ minimum: 1 }),
    stamps: Type.Array(Type.Object(stampIdentity), { maxItems: maxSubmittedStamps }),
  }),
  key: (data) => data.batchId,
});
export type StampsSubmittedV2 = DataOf<typeof StampsSubmittedV2>;
