import { invalid } from '../../errors/http-error.ts';
import { type ChunkWindow, createChunkWindow, type FormPart } from './chunk-window.ts';
import { decodeUrlencoded } from './percent.ts';

const [ampersand, equalsSign, percent] = [0x26, 0x3d, 0x25];
const maxNameBytes = 4 * 1024;

/** Reads application/x-www-form-urlencoded as it arrives: values are decoded in pieces, never held whole. */
export async function* readUrlencoded(
  chunks: AsyncIterable<Buffer>,
  maxParts: number,
): AsyncGenerator<FormPart, void, undefined> {
  const window = createChunkWindow(chunks[Symbol.asyncIterator](), Buffer.alloc(0));
  for (let parts = 0; ; parts++) {
    const name = await readName(window);
    if (name === undefined) return;
    if (parts === maxParts) throw invalid(name, `more than ${maxParts} fields`);
    const body = readValue(window, name);
    yield { name, fileName: undefined, body };
    for await (const _rest of body);
  }
}

/** A field of a form in memory; its value is decoded on read. */
export class WholeField {
  readonly name: string;
  readonly #raw: Buffer;
  constructor(name: string, raw: Buffer) {
    this.name = name;
    this.#raw = raw;
  }
  /** @throws HttpError 400 for a broken escape */
  value(): Buffer {
    const value = decodeUrlencoded(this.#raw);
    if (value === undefined) throw invalid(this.name, 'broken percent-encoding');
    return value;
  }
}

/** Reads a form in memory: as {@link readUrlencoded}, without a stream. */
export function* readWholeUrlencoded(bytes: Buffer, maxParts: number): Generator<WholeField, void, undefined> {
  let at = 0;
  for (let parts = 0; ; parts++) {
    while (bytes[at] === ampersand) at++;
    if (at >= bytes.length) return;
    const nextAmpersand = bytes.indexOf(ampersand, at);
    const end = nextAmpersand < 0 ? bytes.length : nextAmpersand;
    const equals = bytes.indexOf(equalsSign, at);
    const nameEnd = equals < 0 || equals > end ? end : equals;
    const name = decodeUrlencoded(bytes.subarray(at, nameEnd))?.toString('utf8');
    if (name === undefined) throw invalid('form', 'the name of a field has a broken percent-encoding');
    if (parts === maxParts) throw invalid(name, `more than ${maxParts} fields`);
    yield new WholeField(name, bytes.subarray(Math.min(nameEnd + 1, end), end));
    at = end;
  }
}

/** Moves the window to the value, or to the `&` of a field without one; undefined at the end of the form. */
async function readName(window: ChunkWindow): Promise<string | undefined> {
  for (;;) {
    window.bytes = window.bytes.subarray(ampersandsIn(window.bytes));
    const end = endOfName(window.bytes);
    if ((end < 0 ? window.bytes.length : end) > maxNameBytes) throw invalid('form', 'the name of a field is too long');
    const ended = end < 0 && !(await window.more());
    if (end < 0 && !ended) continue;
    if (window.bytes.length === 0) return undefined;
    const raw = end < 0 ? window.bytes : window.bytes.subarray(0, end);
    window.bytes = window.bytes.subarray(end < 0 ? raw.length : window.bytes[end] === equalsSign ? end + 1 : end);
    const name = decodeUrlencoded(raw);
    if (name === undefined) throw invalid('form', 'the name of a field has a broken percent-encoding');
    return name.toString('utf8');
  }
}

/** Number of leading separators: empty fields. */
function ampersandsIn(bytes: Buffer): number {
  let count = 0;
  while (bytes[count] === ampersand) count++;
  return count;
}

/** Where a name ends, or -1; as far as a name may go. */
function endOfName(bytes: Buffer): number {
  const last = Math.min(bytes.length, maxNameBytes + 1);
  for (let at = 0; at < last; at++) if (bytes[at] === ampersand || bytes[at] === equalsSign) return at;
  return -1;
}

async function* readValue(window: ChunkWindow, name: string): AsyncGenerator<Buffer, void, undefined> {
  for (;;) {
    const { bytes } = window;
    const end = bytes.indexOf(ampersand);
    const length = end >= 0 ? end : wholeEscapes(bytes);
    const decoded = decodeUrlencoded(bytes.subarray(0, length));
    if (decoded === undefined) throw invalid(name, 'broken percent-encoding');
    window.bytes = bytes.subarray(length);
    if (decoded.length > 0) yield decoded;
    if (end >= 0) return;
    if (!(await window.more())) {
      if (window.bytes.length > 0) throw invalid(name, 'broken percent-encoding');
      return;
    }
  }
}

/** Length without an escape that continues in the next chunk. */
function wholeEscapes(bytes: Buffer): number {
  const { length } = bytes;
  if (bytes[length - 1] === percent) return length - 1;
  if (bytes[length - 2] === percent) return length - 2;
  return length;
}
