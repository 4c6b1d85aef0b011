import { keccak_256 } from '@noble/hashes/sha3.js';
import { type Hex, hasAddressShape } from './hex.ts';

/**
 * Writes an address in EIP-55 mixed case, the form every response carries (decisions, Identifiers).
 * @param address 20 bytes as hex, in any case
 */
export function checksumAddress(address: string): Hex {
  const digits = address.slice(2).toLowerCase();
  const hash = keccak_256(Buffer.from(digits, 'ascii'));
  let text = '';
  for (let i = 0; i < digits.length; i++) {
    const nibble = ((hash[i >> 1] as number) >> (i % 2 === 0 ? 4 : 0)) & 0xf;
    text += nibble >= 8 ? (digits[i] as string).toUpperCase() : digits[i];
  }
  return `0x${text}`;
}

/**
 * Reads an address in any case and answers it lower-case, the form used inside the service.
 * Undefined when malformed, or when it is in mixed case with a wrong EIP-55 checksum (decisions, Identifiers).
 */
export function parseAddress(text: string): Hex | undefined {
  if (!hasAddressShape(text)) return undefined;
  const digits = text.slice(2);
  const lower = digits.toLowerCase();
  const mixed = digits !== lower && digits !== digits.toUpperCase();
  if (mixed && checksumAddress(text) !== text) return undefined;
  return `0x${lower}`;
}
