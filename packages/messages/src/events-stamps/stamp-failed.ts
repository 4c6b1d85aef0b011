import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Refusal, Uuid } from '../fields.ts';
import { shardOf } from '../shard.ts';

/** The stamp can never be on the chain; its status says why (I6). */
export const StampFailed = defineMessage({
  type: 'StampFailed',
  version: 1,
  topic: 'events.stamps',
  producer: 'stamping',
  consumers: ['gateway', 'storage'],
  schema: Type.Object({ stampId: Uuid, refusal: Refusal }),
  key: (data) => shardOf(data.stampId),
});
export type StampFailed = DataOf<typeof StampFailed>;
