import type { Hex } from '@indelible/identifiers';
import { MalformedAnswerError } from '../errors.ts';
import { lowerHex } from './hex-digits.ts';
import { wordDigits } from './words.ts';

const addressPadding = '0'.repeat(24);
/** 13 digits, 52 bits, are exact in a number. */
const secondsDigits = 13;
const secondsPadding = '0'.repeat(wordDigits - secondsDigits);

/** One 32-byte word of a node's answer, lower-case. MalformedAnswerError when it is anything else. */
export function wordOf(answer: Hex): Hex {
  const word = lowerHex(answer, wordDigits);
  if (word === undefined) throw new MalformedAnswerError('a node sent no word of 32 bytes where one was due');
  return word as Hex;
}

/** The address in a word, lower-case and not checksummed. */
export function addressOf(answer: Hex): Hex {
  const value = wordOf(answer);
  if (!value.startsWith(addressPadding, 2)) throw new MalformedAnswerError('a word holds no address');
  return `0x${value.slice(2 + addressPadding.length)}`;
}

/** The integer in a word. */
export function uintOf(answer: Hex): bigint {
  return BigInt(wordOf(answer));
}

/** Unix seconds in a word. A time that a number cannot hold is not a block's. */
export function secondsOf(answer: Hex): number {
  const value = wordOf(answer);
  if (!value.startsWith(secondsPadding, 2)) throw new MalformedAnswerError('a timestamp is beyond 2^52');
  return Number.parseInt(value.slice(-secondsDigits), 16);
}

/** The boolean in a word. */
export function boolOf(answer: Hex): boolean {
  const value = uintOf(answer);
  if (value > 1n) throw new MalformedAnswerError('a word holds no boolean');
  return value === 1n;
}
