import type { Hex } from '@indelible/identifiers';
import { Type } from '@sinclair/typebox';

/** Fields of internal requests: hex is lower-case internally. */
export const Cid = Type.Unsafe<Hex>({ type: 'string', pattern: '^0x[0-9a-f]{64}$' });
export const Address = Type.Unsafe<Hex>({ type: 'string', pattern: '^0x[0-9a-f]{40}$' });
export const Position = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** The newest block in a response to the account: the read model must have reached it (I9). */
export const MinBlock = Type.Object(
  { chainId: Position, number: Position },
  { additionalProperties: false, required: ['chainId', 'number'] },
);
