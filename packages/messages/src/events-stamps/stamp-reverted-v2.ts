import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Receipt, Uuid } from '../fields.ts';
import { shardOf } from '../shard.ts';

/**
 * The former version, without the batch and the stamp's identity. No longer published. Stays in the topic forever, and
 * a restore reads it.
 */
export const StampRevertedV2 = defineMessage({
  type: 'StampReverted',
  version: 2,
  packed: true,
  topic: 'events.stamps',
  producer: 'stamping',
  consumers: ['storage'],
  schema: Type.Object({ stampId: Uuid, formerReceipt: Receipt }),
  key: (data) => shardOf(data.stampId),
});
export type StampRevertedV2 = DataOf<typeof StampRevertedV2>;
