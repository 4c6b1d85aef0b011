import type { Hex } from '@indelible/identifiers';
import { functionSelectors } from '../generated/commitment-service.ts';
import { nibbleOf } from './hex-digits.ts';

/** The next `count` objects of a batch belong to this user and this set. */
export interface Run {
  readonly user: Hex;
  /** Objects of the run, 0 to 2^53 - 1; 0 with `newSet` records a set alone. */
  readonly count: number;
  /** Record the set before its objects; no effect when it is recorded already. */
  readonly newSet: boolean;
  /** The zero CID: objects without a set. */
  readonly setCid: Hex;
}

const selectorBytes = 4;
const wordBytes = 32;
const addressBytes = 20;
/** Two offsets and two lengths. */
export const fixedBytes = selectorBytes + 4 * wordBytes;
export const runBytes = 4 * wordBytes;
export const objectBytes = wordBytes;

const selector = Number(functionSelectors.commitBatch);

/**
 * Call data of commitBatch, in one allocation. The objects stand in the order of the runs, as hex strings or as packed
 * bytes (32 each). RangeError for a malformed address or CID and for counts that do not sum up to the objects: faults
 * of the caller, which no retry mends.
 */
export function encodeCommitBatch(runs: readonly Run[], objectCids: readonly Hex[] | Uint8Array): Uint8Array {
  const objects = objectCids instanceof Uint8Array ? objectCids.byteLength / objectBytes : objectCids.length;
  const objectsAt = fixedBytes + runs.length * runBytes;
  const bytes = new Uint8Array(objectsAt + objects * objectBytes);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, selector);
  // Offsets count from behind the selector: the runs behind both offsets, the objects behind the runs.
  writeSize(view, selectorBytes, 2 * wordBytes);
  writeSize(view, selectorBytes + wordBytes, objectsAt - wordBytes - selectorBytes);
  writeSize(view, selectorBytes + 2 * wordBytes, runs.length);
  writeSize(view, objectsAt - wordBytes, objects);

  let at = fixedBytes - wordBytes;
  let covered = 0;
  for (const run of runs) {
    if (!Number.isSafeInteger(run.count) || run.count < 0) throw new RangeError(`not a count of objects: ${run.count}`);
    covered += run.count;
    writeHex(bytes, at + wordBytes - addressBytes, run.user, addressBytes);
    writeSize(view, at + wordBytes, run.count);
    bytes[at + 3 * wordBytes - 1] = run.newSet ? 1 : 0;
    writeHex(bytes, at + 3 * wordBytes, run.setCid, wordBytes);
    at += runBytes;
  }
  if (covered !== objects) throw new RangeError(`the runs cover ${covered} objects, ${objects} are given`);

  at = objectsAt;
  if (objectCids instanceof Uint8Array) {
    bytes.set(objectCids, at);
  } else {
    for (const cid of objectCids) {
      writeHex(bytes, at, cid, objectBytes);
      at += objectBytes;
    }
  }
  return bytes;
}

/** A non-negative integer below 2^53 into the last eight bytes of the word at an offset. */
function writeSize(view: DataView, at: number, value: number): void {
  view.setUint32(at + wordBytes - 8, Math.floor(value / 2 ** 32));
  view.setUint32(at + wordBytes - 4, value % 2 ** 32);
}

/** Digit by digit into place: no string or buffer is made of a value. */
function writeHex(bytes: Uint8Array, at: number, hex: Hex, count: number): void {
  if (hex.length !== 2 + 2 * count || !hex.startsWith('0x')) throw new RangeError(`not 0x and ${2 * count} hex digits`);
  let seen = 0;
  for (let index = 0; index < count; index += 1) {
    const high = nibbleOf(hex, 2 + 2 * index);
    const low = nibbleOf(hex, 3 + 2 * index);
    seen |= high | low;
    bytes[at + index] = (high << 4) | low;
  }
  if (seen > 0x0f) throw new RangeError('not hex digits');
}
