import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Bytes32, Count } from '../fields.ts';

/** Every block above `ancestor` has left the canonical chain. */
export const BlocksReverted = defineMessage({
  type: 'BlocksReverted',
  version: 1,
  topic: 'events.chain',
  producer: 'chain-indexer',
  consumers: ['stamping', 'verification'],
  schema: Type.Object({
    chainId: Count,
    ancestor: Type.Object({ number: Count, hash: Bytes32 }),
    /** The highest block that was reverted. */
    revertedHead: Type.Object({ number: Count, hash: Bytes32 }),
  }),
  key: (data) => String(data.chainId),
});
export type BlocksReverted = DataOf<typeof BlocksReverted>;
