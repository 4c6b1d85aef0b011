import type { Hex } from '@indelible/identifiers';
import { type Static, Type } from '@sinclair/typebox';
import { Ajv } from 'ajv';
import { Cid, Position } from '../fields.ts';

const CursorPlace = Type.Object(
  { objectCid: Cid, blockTime: Position, chainId: Position, blockNumber: Position, logIndex: Position },
  { additionalProperties: false },
);

/** The place of a receipt in a list: the next page begins after it. */
export type CursorPlace = Static<typeof CursorPlace>;
const isPlace = new Ajv().compile<CursorPlace>(CursorPlace);

/** The cursor is not from this service, or for other CIDs. */
export class CursorError extends Error {
  readonly retryable = false;
  override readonly name = 'CursorError';
}

export const placeOf = ({ objectCid, blockTime, chainId, blockNumber, logIndex }: CursorPlace): CursorPlace => ({
  objectCid,
  blockTime,
  chainId,
  blockNumber,
  logIndex,
});

export const writeCursor = (last: CursorPlace): string =>
  Buffer.from(JSON.stringify(placeOf(last))).toString('base64url');

/** @throws CursorError */
export function readCursor(cursor: string, cids: readonly Hex[]): CursorPlace {
  let place: unknown;
  try {
    place = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    throw new CursorError('cursor is not one that was returned');
  }
  if (!isPlace(place)) throw new CursorError('cursor is not one that was returned');
  if (!cids.includes(place.objectCid)) throw new CursorError('cursor was returned for other cids');
  return place;
}
