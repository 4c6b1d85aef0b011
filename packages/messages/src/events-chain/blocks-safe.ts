import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Bytes32, Count } from '../fields.ts';

/**
 * The chain does not expect this block and all before it to vanish: its `safe` block. Published only where the
 * chain-indexer is configured to follow it; BlocksFinalized says the same and more.
 */
export const BlocksSafe = defineMessage({
  type: 'BlocksSafe',
  version: 1,
  topic: 'events.chain',
  producer: 'chain-indexer',
  consumers: ['stamping'],
  schema: Type.Object({ chainId: Count, number: Count, hash: Bytes32 }),
  key: (data) => String(data.chainId),
});
export type BlocksSafe = DataOf<typeof BlocksSafe>;
