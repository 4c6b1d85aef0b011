import type { Hex } from '@indelible/identifiers';
import { functionSelectors } from '../generated/commitment-service.ts';

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
 * Call data of commitBatch. The objects are in the order of the runs, as hex strings or as packed bytes (32 each).
 * RangeError for a malformed address or CID and for counts that do not sum up to the objects: permanent errors of the
 * caller.
 */
export function encodeCommitBatch(runs: readonly Run[], objectCids: readonly Hex[] | Uint8Array): Uint8Array {
  const objects = objectCids instanceof Uint8Array ? objectCids.byteLength / objectBytes : objectCids.length;
  const objectsAt = fixedBytes + runs.length * runBytes;
  const bytes = Buffer.alloc(objectsAt + objects * objectBytes);
  bytes.writeUInt32BE(selector);
  // Offsets count from behind the selector: the runs behind both offsets, the objects behind the runs.
  writeSize(bytes, selectorBytes, 2 * wordBytes);
  writeSize(bytes, selectorBytes + wordBytes, objectsAt - wordBytes - selectorBytes);
  writeSize(bytes, selectorBytes + 2 * wordBytes, runs.length);
  const covered = writeRuns(bytes, fixedBytes - wordBytes, runs);
  if (covered !== objects) throw new RangeError(`the runs cover ${covered} objects, ${objects} are given`);

  writeSize(bytes, objectsAt - wordBytes, objects);
  if (objectCids instanceof Uint8Array) {
    bytes.set(objectCids, objectsAt);
  } else {
    let digits = '';
    for (const cid of objectCids) digits += digitsOf(cid, objectBytes);
    decodeDigits(digits, bytes.subarray(objectsAt));
  }
  return bytes;
}

/** Writes the runs from an offset on and returns how many objects they cover. */
function writeRuns(bytes: Buffer, start: number, runs: readonly Run[]): number {
  let covered = 0;
  let digits = '';
  for (const { user, count, setCid } of runs) {
    if (!Number.isSafeInteger(count) || count < 0) throw new RangeError(`not a count of objects: ${count}`);
    covered += count;
    digits += digitsOf(user, addressBytes);
    digits += digitsOf(setCid, wordBytes);
  }
  const values = Buffer.allocUnsafe(runs.length * (addressBytes + wordBytes));
  decodeDigits(digits, values);
  let from = 0;
  let at = start;
  for (const { count, newSet } of runs) {
    for (let to = at + wordBytes - addressBytes; to < at + wordBytes; to++) bytes[to] = values[from++] as number;
    writeSize(bytes, at + wordBytes, count);
    bytes[at + 3 * wordBytes - 1] = newSet ? 1 : 0;
    for (let to = at + 3 * wordBytes; to < at + runBytes; to++) bytes[to] = values[from++] as number;
    at += runBytes;
  }
  return covered;
}

/** A non-negative integer below 2^53 into the last eight bytes of the word at an offset. */
function writeSize(bytes: Buffer, at: number, value: number): void {
  bytes.writeUInt32BE(Math.floor(value / 2 ** 32), at + wordBytes - 8);
  bytes.writeUInt32BE(value % 2 ** 32, at + wordBytes - 4);
}

/** The part after 0x, which must be that long. Decoding checks later that all of them are hex. */
function digitsOf(hex: Hex, count: number): string {
  if (hex.length !== 2 + 2 * count || !hex.startsWith('0x')) throw new RangeError(`not 0x and ${2 * count} hex digits`);
  return hex.slice(2);
}

/** Fills the bytes. Node stops at a non-digit, but reads a non-ASCII character as its low byte. */
function decodeDigits(digits: string, bytes: Buffer): void {
  const ascii = Buffer.byteLength(digits) === digits.length;
  if (!ascii || bytes.write(digits, 'hex') !== bytes.length) throw new RangeError('not hex digits');
}
