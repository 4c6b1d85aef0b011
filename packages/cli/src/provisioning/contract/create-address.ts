import { bytesOfHex, type Hex, hexOfBytes, keccak256 } from '@indelible/identifiers';

/** The address of the contract that the sender's transaction with this nonce creates: keccak256(rlp([sender, nonce])). */
export function createAddress(sender: Hex, nonce: number): Hex {
  const digits = nonce.toString(16);
  const bytes = nonce === 0 ? '' : digits.padStart(digits.length + (digits.length % 2), '0');
  const isByte = nonce > 0 && nonce < 0x80;
  const item = isByte ? bytes : (0x80 + bytes.length / 2).toString(16) + bytes;
  const list = `94${sender.slice(2)}${item}`;
  const prefix = (0xc0 + list.length / 2).toString(16);
  return `0x${hexOfBytes(keccak256(bytesOfHex(`0x${prefix}${list}`))).slice(-40)}`;
}
