import { createHash, randomBytes } from 'node:crypto';

const blockBytes = 2 ** 20;

/** Bytes that are made as they are read: `size` of them, the same for the same seed, other ones for any other. */
export function* contentOf(seed: string, size: number): Generator<Buffer, void, undefined> {
  const block = seededBlock(seed);
  for (let at = 0; at < size; at += blockBytes) {
    // A copy: whoever writes it may still hold it when the next is made.
    const bytes = Buffer.from(block.subarray(0, Math.min(blockBytes, size - at)));
    if (bytes.length >= 8) bytes.writeDoubleLE(at, 0);
    yield bytes;
  }
}

export const newSeed = (): string => randomBytes(16).toString('hex');

/** As hard to guess as any content: what looks the same would hide a cost that depends on it. */
function seededBlock(seed: string): Buffer {
  return createHash('shake256', { outputLength: blockBytes }).update(seed).digest();
}
