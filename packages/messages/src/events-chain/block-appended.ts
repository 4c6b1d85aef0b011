import { type Static, Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Address, Bytes32, Count, Seconds } from '../fields.ts';

/**
 * One log of the contract, in the order of the block. `set`: AddSet; `object`: AddObject and AddSetObject (the zero
 * set CID says without a set); `grant` and `revoke`: delegation, by call or by signature.
 */
export const ChainLog = Type.Object({
  kind: Type.Union([Type.Literal('set'), Type.Literal('object'), Type.Literal('grant'), Type.Literal('revoke')]),
  transactionHash: Bytes32,
  logIndex: Count,
  user: Address,
  setCid: Type.Optional(Bytes32),
  objectCid: Type.Optional(Bytes32),
  delegate: Type.Optional(Address),
});
export type ChainLog = Static<typeof ChainLog>;

/** A block that now is on the canonical chain. One with many logs comes in `parts` messages, in order. */
export const BlockAppended = defineMessage({
  type: 'BlockAppended',
  version: 1,
  topic: 'events.chain',
  producer: 'chain-indexer',
  consumers: ['stamping', 'verification'],
  schema: Type.Object({
    chainId: Count,
    number: Count,
    hash: Bytes32,
    parentHash: Bytes32,
    time: Seconds,
    part: Type.Integer({ minimum: 1 }),
    parts: Type.Integer({ minimum: 1 }),
    logs: Type.Array(ChainLog),
  }),
  key: (data) => String(data.chainId),
});
export type BlockAppended = DataOf<typeof BlockAppended>;
