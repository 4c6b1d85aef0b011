import { HttpError } from '../../errors/http-error.ts';
import { type ChunkWindow, createChunkWindow, type FormPart } from './chunk-window.ts';
import { readPartHeaders } from './part-headers.ts';

/**
 * Reads multipart/form-data as it arrives, holding no more than a chunk and a part's headers. Stricter than the
 * libraries for it, which skip parts they do not understand and decode fields with replacement characters: here every
 * byte of a part reaches its reader unchanged, and malformed input is a 400 (docs: README of this service).
 */
export async function* readMultipart(
  chunks: AsyncIterable<Buffer>,
  boundary: string,
  maxParts: number,
): AsyncGenerator<FormPart, void, undefined> {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  // The first delimiter may be at the very start, without the line break that precedes all others.
  const window = createChunkWindow(chunks[Symbol.asyncIterator](), Buffer.from('\r\n'));
  await discard(bodyOf(window, delimiter));
  for (let parts = 0; await partFollows(window); parts++) {
    if (parts === maxParts) throw malformed(`more than ${maxParts} parts`);
    const { name, fileName } = readPartHeaders(await headerBlock(window));
    const body = bodyOf(window, delimiter);
    yield { name, fileName, body };
    await discard(body);
  }
  // What follows the last delimiter is ignored, but read, to keep the connection usable.
  while (await window.more()) window.bytes = Buffer.alloc(0);
}

const malformed = (details: string): HttpError => new HttpError(400, 'malformed multipart body', { details });

/** After a delimiter: true when a part follows, false when it was the last. */
async function partFollows(window: ChunkWindow): Promise<boolean> {
  for (;;) {
    const { bytes } = window;
    let start = 0;
    if (bytes[0] === dash && bytes[1] === dash) return false;
    while (bytes[start] === space || bytes[start] === tab) start++;
    if (bytes.length >= start + 2) {
      if (bytes[start] !== carriageReturn || bytes[start + 1] !== lineFeed)
        throw malformed('a boundary is not followed by a line break');
      window.bytes = bytes.subarray(start + 2);
      return true;
    }
    if (start > 256) throw malformed('a boundary line is too long');
    if (!(await window.more())) throw malformed('it ends without its closing boundary');
  }
}

const [carriageReturn, lineFeed, dash, space, tab] = [0x0d, 0x0a, 0x2d, 0x20, 0x09];
const maxHeaderBytes = 16 * 1024;
const endOfHeaders = Buffer.from('\r\n\r\n');

async function headerBlock(window: ChunkWindow): Promise<Buffer> {
  for (;;) {
    const end = window.bytes.indexOf(endOfHeaders);
    if (end > maxHeaderBytes || (end < 0 && window.bytes.length > maxHeaderBytes))
      throw malformed('the headers of a part are too long');
    if (end >= 0) {
      const block = window.bytes.subarray(0, end);
      window.bytes = window.bytes.subarray(end + endOfHeaders.length);
      return block;
    }
    if (!(await window.more())) throw malformed('it ends within the headers of a part');
  }
}

/** The bytes up to the next delimiter, which is removed too. */
async function* bodyOf(window: ChunkWindow, delimiter: Buffer): AsyncGenerator<Buffer, void, undefined> {
  for (;;) {
    const { bytes } = window;
    const end = bytes.indexOf(delimiter);
    if (end >= 0) {
      window.bytes = bytes.subarray(end + delimiter.length);
      if (end > 0) yield bytes.subarray(0, end);
      return;
    }
    const safe = safeLength(bytes, delimiter);
    window.bytes = bytes.subarray(safe);
    if (safe > 0) yield bytes.subarray(0, safe);
    if (!(await window.more())) throw malformed('it ends without its closing boundary');
  }
}

/** Number of bytes that cannot belong to a delimiter that continues in the next chunk. */
function safeLength(bytes: Buffer, delimiter: Buffer): number {
  const from = Math.max(0, bytes.length - delimiter.length + 1);
  const candidate = bytes.indexOf(carriageReturn, from);
  return candidate < 0 ? bytes.length : candidate;
}

async function discard(body: AsyncIterable<Buffer>): Promise<void> {
  for await (const _chunk of body);
}
