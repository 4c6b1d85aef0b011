import type { Hex } from '@indelible/identifiers';
import { Type } from '@sinclair/typebox';

/** Fields of the internal API's requests: hex is lower-case inside the service. */
export const Cid = Type.Unsafe<Hex>({ type: 'string', pattern: '^0x[0-9a-f]{64}$' });
export const Address = Type.Unsafe<Hex>({ type: 'string', pattern: '^0x[0-9a-f]{40}$' });

const Position = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

export const Block = Type.Object(
  { chainId: Position, number: Position },
  { additionalProperties: false, required: ['chainId', 'number'] },
);

/** Where a list of receipts goes on: after this one. */
export const ReceiptPlace = Type.Object(
  { objectCid: Cid, blockTime: Position, chainId: Position, blockNumber: Position, logIndex: Position },
  { additionalProperties: false },
);
