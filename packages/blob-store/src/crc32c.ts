import { crc32c } from '@node-rs/crc32';

/** A running CRC32C (Castagnoli), the checksum GCS keeps of each object, and the count of its bytes. */
export type Crc32c = { update(chunk: Uint8Array): void; readonly size: number; readonly value: number };

export function startCrc32c(): Crc32c {
  let size = 0;
  let value = 0;
  return {
    update(chunk) {
      size += chunk.byteLength;
      value = crc32c(chunk, value);
    },
    get size() {
      return size;
    },
    get value() {
      return value;
    },
  };
}

/** The CRC32C of a whole buffer. */
export const crc32cOf = (content: Uint8Array): number => crc32c(content);
