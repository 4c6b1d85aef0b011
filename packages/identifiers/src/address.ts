import { type Hex, hasAddressShape } from './hex.ts';
import { keccak256 } from './keccak.ts';

const firstLetter = 0x61;
/** Between a lower-case letter and its upper-case one. */
const caseDistance = 0x20;

/**
 * Writes an address in EIP-55 mixed case, the form every response carries (docs/interface.md, Identifiers).
 * @param address 20 bytes as hex, in any case
 */
export function checksumAddress(address: string): Hex {
  const digits = Buffer.from(address.slice(2).toLowerCase(), 'latin1');
  const hash = keccak256(digits);
  for (let i = 0; i < digits.length; i++) {
    const digit = digits[i] as number;
    const nibble = ((hash[i >> 1] as number) >> (i % 2 === 0 ? 4 : 0)) & 0xf;
    if (nibble >= 8 && digit >= firstLetter) digits[i] = digit - caseDistance;
  }
  return `0x${digits.toString('latin1')}`;
}

/**
 * Reads an address in any case and returns it lower-case, the form used inside the service. Undefined when malformed,
 * or when it is in mixed case with a wrong EIP-55 checksum (docs/interface.md, Identifiers).
 */
export function parseAddress(text: string): Hex | undefined {
  if (!hasAddressShape(text)) return undefined;
  const digits = text.slice(2);
  const lower = digits.toLowerCase();
  const mixed = digits !== lower && digits !== digits.toUpperCase();
  if (mixed && checksumAddress(text) !== text) return undefined;
  return `0x${lower}`;
}
