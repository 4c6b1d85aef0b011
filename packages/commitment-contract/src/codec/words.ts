import type { Hex } from '@indelible/identifiers';
import { lowerHex } from './hex-digits.ts';

/** Hex digits of the ABI's unit, the 32-byte word. */
export const wordDigits = 64;

const addressDigits = 40;
const padding = '0'.repeat(wordDigits);

/** A 32-byte value as a word's digits, without 0x. RangeError when it is not one. */
export function bytes32Word(value: Hex): string {
  return checkedDigits(value, wordDigits);
}

/** An address (any letter case) as a word's digits, without 0x. RangeError when it is not one. */
export function addressWord(value: Hex): string {
  return checkedDigits(value, addressDigits).padStart(wordDigits, '0');
}

/** An unsigned integer as a word's digits, without 0x. RangeError outside 256 bits, or for a number that is not a safe integer. */
export function uintWord(value: bigint | number): string {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) throw new RangeError(`not a safe integer: ${value}`);
  const digits = value.toString(16);
  if (value < 0 || digits.length > wordDigits) throw new RangeError(`not a 256-bit unsigned integer: ${value}`);
  return digits.padStart(wordDigits, '0');
}

/** The tail of a `bytes` argument: its length, then the bytes, filled up to whole words. */
export function bytesTail(value: Hex): string {
  const digits = checkedDigits(value, value.length - 2);
  if (digits.length % 2 !== 0) throw new RangeError('not whole bytes');
  const rest = digits.length % wordDigits;
  return uintWord(digits.length / 2) + digits + (rest === 0 ? '' : padding.slice(rest));
}

function checkedDigits(value: Hex, count: number): string {
  const digits = lowerHex(value, count)?.slice(2);
  if (digits === undefined) throw new RangeError(`not 0x and ${count} hex digits`);
  return digits;
}
