import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Refusal, Uuid } from '../fields.ts';
import { shardOf } from '../shard.ts';

/**
 * The former version, without the stamp's identity. No longer published. Stays in the topic forever, and a restore
 * reads it.
 */
export const StampFailedV1 = defineMessage({
  type: 'StampFailed',
  version: 1,
  topic: 'events.stamps',
  producer: 'stamping',
  consumers: ['storage'],
  schema: Type.Object({ stampId: Uuid, refusal: Refusal }),
  key: (data) => shardOf(data.stampId),
});
export type StampFailedV1 = DataOf<typeof StampFailedV1>;
