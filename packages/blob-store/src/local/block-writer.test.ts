import type { FileHandle } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { createBlockWriter } from './block-writer.ts';

/** A file in memory that takes at most `most` bytes at a time, and fails once it holds `fullAt`. */
function fileInMemory(most = Number.POSITIVE_INFINITY, fullAt = Number.POSITIVE_INFINITY) {
  const held: Buffer[] = [];
  let size = 0;
  const write = async (bytes: Buffer, offset: number, length: number): Promise<{ bytesWritten: number }> => {
    const bytesWritten = Math.min(most, length);
    // Read only when the "disk" gets to it: a block refilled too early would show.
    await new Promise(setImmediate);
    if (size + bytesWritten > fullAt) throw new Error('no space left');
    held.push(Buffer.from(bytes.subarray(offset, offset + bytesWritten)));
    size += bytesWritten;
    return { bytesWritten };
  };
  return { handle: { write } as unknown as FileHandle, content: () => Buffer.concat(held) };
}

/** Chunks of many sizes, some larger than a block. */
const chunks = [1, 0, 65_536, 300_000, 262_144, 7, 900_001].map((size, i) => Buffer.alloc(size, `${i}abc`));

describe('the block writer', () => {
  it.each([Number.POSITIVE_INFINITY, 1_000])(
    'writes what came, in its order, to a file that takes %d bytes at a time',
    async (most) => {
      const file = fileInMemory(most);
      const writer = createBlockWriter(file.handle);
      for (const chunk of chunks) {
        const lent = Buffer.from(chunk);
        await writer.write(lent);
        lent.fill(0xff);
      }
      await writer.flush();
      expect(file.content().equals(Buffer.concat(chunks))).toBe(true);
    },
  );

  it('reports a fault of earlier bytes to the next write or flush, and settles all the same', async () => {
    const writer = createBlockWriter(fileInMemory(1_000, 10_000).handle);
    await writer.write(Buffer.alloc(262_144));
    await expect(writer.flush()).rejects.toThrow('no space left');
    await expect(writer.write(Buffer.alloc(600_000))).rejects.toThrow('no space left');
    await writer.settled();
  });
});
