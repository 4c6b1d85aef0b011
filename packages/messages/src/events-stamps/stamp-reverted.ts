import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Receipt, Uuid } from '../fields.ts';
import { shardOf } from '../shard.ts';

/** A reorg took the stamp's block: it is on its way again, and its former receipt is answered no more (I4). */
export const StampReverted = defineMessage({
  type: 'StampReverted',
  version: 2,
  packed: true,
  topic: 'events.stamps',
  producer: 'stamping',
  consumers: ['gateway', 'storage'],
  schema: Type.Object({ stampId: Uuid, formerReceipt: Receipt }),
  key: (data) => shardOf(data.stampId),
});
export type StampReverted = DataOf<typeof StampReverted>;
