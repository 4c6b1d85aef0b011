import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Address, Bytes32, Count, Uuid } from '../fields.ts';

/** A signed transaction that carries these stamps is stored; from now on it is broadcast until it is in a block. */
export const StampsSubmitted = defineMessage({
  type: 'StampsSubmitted',
  version: 1,
  topic: 'events.stamps',
  producer: 'stamping',
  consumers: ['gateway'],
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
export type StampsSubmitted = DataOf<typeof StampsSubmitted>;
