import { bytesOfHex, type Hex, keccak256 } from '@indelible/identifiers';
import type { BlockHeader, Head } from '../reads/blocks.ts';

/** The three bits of a value in a bloom filter: a digit of its hex, and a bit of this digit. */
function bitsOf(value: Hex): readonly (readonly [digit: number, bit: number])[] {
  const hash = keccak256(bytesOfHex(value));
  return [0, 2, 4].map((i) => {
    const bit = (((hash[i] as number) << 8) | (hash[i + 1] as number)) & 2047;
    // Bit 0 is the lowest of the last byte; each hex digit holds four.
    return [2 + 511 - (bit >> 2), 1 << (bit & 3)] as const;
  });
}

/**
 * Whether a block's bloom filter (256 bytes) allows for a log with this value: false is certain, true is not.
 * @param value an address or a topic
 */
export function bloomTest(value: Hex): (logsBloom: Hex) => boolean {
  const bits = bitsOf(value);
  return (logsBloom) => bits.every(([digit, bit]) => (Number.parseInt(logsBloom[digit] as string, 16) & bit) !== 0);
}

/**
 * Whether a contract may have logged one of these topics in a block; false is certain. Some chains leave the filters of
 * all blocks empty: an empty one rules out nothing until a non-empty one is seen.
 */
export function createLogFilter(
  contract: Hex,
  topics: readonly Hex[],
): (header: Pick<Head, 'logsBloom'> & Partial<Pick<BlockHeader, 'gasUsed'>>) => boolean {
  const isOfContract = bloomTest(contract);
  const hasTopic = topics.map(bloomTest);
  let fillsFilters = false;
  return ({ logsBloom, gasUsed }) => {
    fillsFilters ||= /[1-9a-f]/.test(logsBloom.slice(2));
    if (!fillsFilters) return gasUsed !== 0n;
    return isOfContract(logsBloom) && hasTopic.some((test) => test(logsBloom));
  };
}
