import { Type } from '@sinclair/typebox';
import { Address, Bytes32, nullable, Uuid } from './fields.ts';

/** What its owner knows a stamp by: whoever reports on it needs no other source. */
export const stampIdentity = {
  stampId: Uuid,
  /** Of the HTTP request that made it (`X-Request-Id`). */
  requestId: nullable(Uuid),
  account: Address,
  setCid: Bytes32,
  objectCid: Bytes32,
  collectionName: nullable(Type.String()),
  /** The caller's own reference to it, of the batch input. */
  clientRef: nullable(Type.String()),
};
