import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Bytes32, Count } from '../fields.ts';

/** The block and all before it will stay on the canonical chain. */
export const BlocksFinalized = defineMessage({
  type: 'BlocksFinalized',
  version: 1,
  topic: 'events.chain',
  producer: 'chain-indexer',
  consumers: ['stamping', 'verification'],
  schema: Type.Object({ chainId: Count, number: Count, hash: Bytes32 }),
  key: (data) => String(data.chainId),
});
export type BlocksFinalized = DataOf<typeof BlocksFinalized>;
