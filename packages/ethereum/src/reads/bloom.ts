import { bytesOfHex, type Hex, keccak256 } from '@indelible/identifiers';

/**
 * Whether a block's bloom filter allows for a log of this address or with this topic: false is certain, true is not.
 * @param logsBloom 256 bytes
 */
export function bloomMayContain(logsBloom: Hex, value: Hex): boolean {
  const hash = keccak256(bytesOfHex(value));
  for (let i = 0; i < 6; i += 2) {
    const bit = (((hash[i] as number) << 8) | (hash[i + 1] as number)) & 2047;
    // Bit 0 is the lowest of the last byte; each hex digit holds four.
    const digit = Number.parseInt(logsBloom[2 + 511 - (bit >> 2)] as string, 16);
    if ((digit & (1 << (bit & 3))) === 0) return false;
  }
  return true;
}
