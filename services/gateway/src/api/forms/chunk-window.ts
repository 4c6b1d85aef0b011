/** One part of a form, as it arrives. `body` must be read (or left) before the next part. */
export type FormPart = {
  readonly name: string;
  /** The file name of a multipart/form-data file, as sent. */
  readonly fileName: string | undefined;
  readonly body: AsyncIterable<Buffer>;
};

/** The part of a stream that has arrived and is not handled yet. */
export type ChunkWindow = {
  /** Bytes that have arrived. */
  bytes: Buffer;
  /** Adds the next bytes; false when the stream has ended. */
  more(): Promise<boolean>;
};

export function createChunkWindow(chunks: AsyncIterator<Buffer, void, undefined>, first: Buffer): ChunkWindow {
  return {
    bytes: first,
    async more() {
      const next = await chunks.next();
      if (next.done === true) return false;
      this.bytes = this.bytes.length === 0 ? next.value : Buffer.concat([this.bytes, next.value]);
      return true;
    },
  };
}
