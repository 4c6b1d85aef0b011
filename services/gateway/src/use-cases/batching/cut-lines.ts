import { isUtf8 } from 'node:buffer';

/** A line of the body as text, without its end; or why it is invalid. */
export type CutLine = string | { readonly fault: string };

const newline = 0x0a;
const nothing = Buffer.alloc(0);

/**
 * Splits a body into lines as its bytes arrive. Holds at most one line between chunks: a longer one is dropped as it
 * arrives, and is invalid.
 */
export function createLineCutter(maxLineBytes: number) {
  const tooLong = { fault: `the line is longer than ${maxLineBytes} bytes` };
  /** The beginning of an incomplete line. */
  let begun = nothing;
  let skipping = false;

  /** Complete lines: decoded together if all are UTF-8, as they usually are. */
  function linesIn(bytes: Buffer): CutLine[] {
    if (isUtf8(bytes)) return bytes.toString('utf8').split('\n').map(bounded);
    const lines: CutLine[] = [];
    for (let start = 0; start <= bytes.length; ) {
      const found = bytes.indexOf(newline, start);
      const end = found < 0 ? bytes.length : found;
      const line = bytes.subarray(start, end);
      lines.push(isUtf8(line) ? bounded(line.toString('utf8')) : { fault: 'the line is not valid UTF-8' });
      start = end + 1;
    }
    return lines;
  }

  /** A character is at most three bytes of UTF-8 for each of its UTF-16 units. */
  const bounded = (line: string): CutLine =>
    line.length * 3 <= maxLineBytes || Buffer.byteLength(line) <= maxLineBytes ? line : tooLong;

  function keep(rest: Buffer): void {
    // A copy, so that the rest of its chunk can be collected.
    begun = begun.length === 0 ? Buffer.from(rest) : Buffer.concat([begun, rest]);
    if (begun.length <= maxLineBytes) return;
    begun = nothing;
    skipping = true;
  }

  return {
    /** The lines that end in this chunk. */
    push(chunk: Buffer): CutLine[] {
      const last = chunk.lastIndexOf(newline);
      if (last < 0) {
        if (!skipping) keep(chunk);
        return [];
      }
      const whole = chunk.subarray(0, last);
      let lines: CutLine[];
      if (skipping) {
        const first = whole.indexOf(newline);
        lines = first < 0 ? [tooLong] : [tooLong, ...linesIn(whole.subarray(first + 1))];
      } else lines = linesIn(begun.length === 0 ? whole : Buffer.concat([begun, whole]));
      begun = nothing;
      skipping = false;
      if (last + 1 < chunk.length) keep(chunk.subarray(last + 1));
      return lines;
    },
    /** The last line, if the body does not end with a line end. */
    end(): CutLine[] {
      if (skipping) return [tooLong];
      return begun.length === 0 ? [] : linesIn(begun);
    },
  };
}
