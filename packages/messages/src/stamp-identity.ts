import { Type } from '@sinclair/typebox';
import { Address, Bytes32, nullable, Uuid } from './fields.ts';

/** What identifies a stamp to its owner: reports need no other source. */
export const stampIdentity = {
  stampId: Uuid,
  /** Of the HTTP request that made it (`X-Request-Id`). */
  requestId: nullable(Uuid),
  account: Address,
  setCid: Bytes32,
  objectCid: Bytes32,
  collectionName: nullable(Type.String()),
  /** The caller's reference to it, from the batch input. */
  clientRef: nullable(Type.String()),
};
