import type { FileHandle } from 'node:fs/promises';

/** Large enough that a write costs little beside its bytes; two of them are all that an upload holds. */
const blockBytes = 256 * 1024;

/** Writes a file from its beginning on. Calls come one at a time, each awaited. */
export type BlockWriter = {
  /** Copies the bytes: the caller may reuse them when it resolves. @throws a fault of these or earlier bytes */
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves when the file has taken all of it. @throws a fault of any of it */
  flush(): Promise<void>;
  /** Resolves when nothing is in flight; never rejects. */
  settled(): Promise<void>;
};

/** Gathers chunks into blocks: fills one while the other is written. */
export function createBlockWriter(handle: FileHandle): BlockWriter {
  let block: Buffer | undefined;
  let spare: Buffer | undefined;
  let filled = 0;
  let underWay: Promise<void> = Promise.resolve();

  async function writeWhole(bytes: Buffer): Promise<void> {
    for (let written = 0; written < bytes.length; )
      written += (await handle.write(bytes, written, bytes.length - written)).bytesWritten;
  }
  async function handOn(): Promise<void> {
    await underWay;
    if (block === undefined || filled === 0) return;
    underWay = writeWhole(block.subarray(0, filled));
    // The next caller gets its fault.
    underWay.catch(() => {});
    [block, spare] = [spare, block];
    filled = 0;
  }
  return {
    async write(bytes) {
      for (let start = 0; start < bytes.byteLength; ) {
        block ??= Buffer.allocUnsafeSlow(blockBytes);
        const taken = bytes.subarray(start, start + blockBytes - filled);
        block.set(taken, filled);
        filled += taken.byteLength;
        start += taken.byteLength;
        if (filled === blockBytes) await handOn();
      }
    },
    async flush() {
      await handOn();
      await underWay;
    },
    settled: () => underWay.catch(() => {}),
  };
}
