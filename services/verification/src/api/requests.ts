import { type Static, Type } from '@sinclair/typebox';
import { Address, Cid, MinBlock } from '../fields.ts';

const maxCids = 10_000;
/** For a response held in memory as a whole. */
const maxReceipts = 10_000;

const Cids = Type.Array(Cid, { minItems: 1, maxItems: maxCids });

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
