import type { Hex } from '@indelible/identifiers';
import { type Static, Type } from '@sinclair/typebox';

const maxCids = 10_000;
/** Of a response that is in memory as a whole. */
const maxReceipts = 10_000;

/** Hex is lower-case inside the service. */
const Cid = Type.Unsafe<Hex>({ type: 'string', pattern: '^0x[0-9a-f]{64}$' });
export const Address = Type.Unsafe<Hex>({ type: 'string', pattern: '^0x[0-9a-f]{40}$' });
const Position = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

const Cids = Type.Array(Cid, { minItems: 1, maxItems: maxCids });
/** The newest block that a response to the account named: the read model must have reached it (I9). */
const MinBlock = Type.Object(
  { chainId: Position, number: Position },
  { additionalProperties: false, required: ['chainId', 'number'] },
);

export const LookUpRequest = Type.Object(
  {
    cids: Cids,
    owner: Type.Optional(Address),
    /** Of that owner. */
    setCid: Type.Optional(Cid),
    minBlock: Type.Optional(MinBlock),
    limit: Type.Integer({ minimum: 1, maximum: maxReceipts }),
  },
  { additionalProperties: false, dependencies: { setCid: ['owner'] } },
);
export type LookUpRequest = Static<typeof LookUpRequest>;

export const ListReceiptsRequest = Type.Object(
  {
    cids: Cids,
    owner: Type.Optional(Address),
    minBlock: Type.Optional(MinBlock),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
    cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000 })),
  },
  { additionalProperties: false },
);
export type ListReceiptsRequest = Static<typeof ListReceiptsRequest>;
