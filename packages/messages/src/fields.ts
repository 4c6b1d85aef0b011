import type { Hex } from '@indelible/identifiers';
import { type Static, type TSchema, Type } from '@sinclair/typebox';

/** Objects are open to fields of later versions: a reader ignores what it does not know. */
export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

export const Uuid = Type.String({ pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' });
/** 32 bytes, lower-case hex. */
export const Bytes32 = Type.Unsafe<Hex>({ type: 'string', pattern: '^0x[0-9a-f]{64}$' });
/** 20 bytes, lower-case hex: the checksum is for people, at the edge. */
export const Address = Type.Unsafe<Hex>({ type: 'string', pattern: '^0x[0-9a-f]{40}$' });
export const Signature = Type.Unsafe<Hex>({ type: 'string', pattern: '^0x[0-9a-f]{130}$' });
export const Instant = Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{8,12}Z$' });
export const Count = Type.Integer({ minimum: 0 });
/** Seconds since 1970: a block's time. */
export const Seconds = Type.Integer({ minimum: 0 });

/** Which set a stamp belongs to; a name is resolved to its CID by stamping, which owns collections. */
export const TargetSet = Type.Union([
  Type.Object({ kind: Type.Literal('none') }),
  Type.Object({ kind: Type.Literal('named'), name: Type.String({ minLength: 1 }) }),
  Type.Object({ kind: Type.Literal('registered'), cid: Bytes32 }),
]);
export type TargetSet = Static<typeof TargetSet>;

/** Content that is staged in the blob store and is to be stored once its stamp is confirmed. */
export const StagedContent = Type.Object({
  stagedId: Uuid,
  objectCid: Bytes32,
  size: Count,
  crc32c: Type.Integer({ minimum: 0, maximum: 0xffffffff }),
  /** The sender's name, or one made from the CID; without the time suffix of the stored name. */
  fileName: Type.String({ minLength: 1 }),
});
export type StagedContent = Static<typeof StagedContent>;

/** A commitment as a receipt has it. */
export const Receipt = Type.Object({
  transactionHash: Bytes32,
  logIndex: Count,
  blockNumber: Count,
  blockHash: Bytes32,
  blockTime: Seconds,
  chainId: Count,
  account: Address,
  setCid: Bytes32,
  objectCid: Bytes32,
});
export type Receipt = Static<typeof Receipt>;

/** Why requests are refused. The gateway maps each to a status (`services/gateway/src/errors/refusal-error.ts`). */
export type RefusalCode =
  | 'collection-cid-taken'
  | 'collection-exists'
  | 'collection-not-registered'
  | 'collection-refused'
  | 'grant-refused'
  | 'grant-revoked'
  | 'invalid-text'
  | 'out-of-funds'
  | 'stamp-failed'
  | 'too-busy'
  | 'upload-failed';

/**
 * Why a request ended without a stamp: a code for machines, a sentence for its caller. A message of a later version may
 * have a code unknown here.
 */
export const Refusal = Type.Object({ code: Type.String(), message: Type.String() });
/** A refusal that is decided or answered here. */
export type Refusal = { readonly code: RefusalCode; readonly message: string };

/** The gateway instance that waits for the outcome. */
export const ReplyTo = nullable(Type.String({ minLength: 1 }));
