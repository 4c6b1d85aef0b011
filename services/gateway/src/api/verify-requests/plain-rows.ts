import { HttpError } from '../../errors/http-error.ts';

export type CsvRow = {
  /** Its first line, from 1. */
  readonly line: number;
  readonly values: readonly string[];
};

export const invalidLine = (line: number, text: string): HttpError => new HttpError(400, `line ${line}: ${text}`);

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const quote = '"';
/** How far csv-parse looks beyond the end of a row before it emits it. */
const lookAheadBytes = 3;

export type PlainRows = {
  readonly rows: CsvRow[];
  /** Length of the rows in bytes. */
  readonly bytes: number;
  /** Whether a plain row may follow; otherwise csv-parse must read on. */
  readonly goesOn: boolean;
};

/**
 * Reads the leading rows, as far as they are plain: one line of UTF-8 each, without quotes or line breaks inside quoted
 * values. csv-parse would produce the same rows, at the same point. An invalid row is never plain, so that csv-parse
 * reports every fault.
 * @param data starts at a row
 * @param line its number
 */
export function takePlainRows(data: Buffer, line: number): PlainRows {
  const rows: CsvRow[] = [];
  const end = endOfLines(data);
  const text = data.toString('utf8', 0, end);
  for (let at = 0; at < text.length; ) {
    const next = text.indexOf('\n', at) + 1;
    const values = valuesOf(text.slice(at, text[next - 2] === '\r' && next - 2 >= at ? next - 2 : next - 1), true);
    if (values === undefined) return { rows, bytes: Buffer.byteLength(text.slice(0, at)), goesOn: false };
    rows.push({ line: line + rows.length, values });
    at = next;
  }
  // Without a complete line, its beginning would be held and scanned again with each chunk, however small.
  return { rows, bytes: end, goesOn: end > 0 && valuesOf(data.toString('latin1', end), false) !== undefined };
}

/** End of the last line that is followed by as many bytes as csv-parse looks ahead. */
function endOfLines(data: Buffer): number {
  const last = data.length - lookAheadBytes;
  if (last < 1) return 0;
  const at = data.lastIndexOf(lineFeed, last);
  return 1 + (at < last || data[at - 1] === carriageReturn ? at : data.lastIndexOf(lineFeed, last - 1));
}

/** The values of a line, or of its beginning; undefined unless it is plain so far. */
function valuesOf(line: string, isWhole: boolean): string[] | undefined {
  if (isWhole && line.includes('\r')) return undefined;
  if (!line.includes(quote)) return line.split(',');
  const values: string[] = [];
  for (let at = 0; ; ) {
    let end: number;
    if (line[at] === quote) {
      const closing = line.indexOf(quote, at + 1);
      if (closing < 0) return isWhole ? undefined : values;
      end = closing + 1;
      values.push(line.slice(at + 1, closing));
    } else {
      const comma = line.indexOf(',', at);
      end = comma < 0 ? line.length : comma;
      const value = line.slice(at, end);
      if (value.includes(quote)) return undefined;
      values.push(value);
    }
    if (end === line.length) return values;
    if (line[end] !== ',') return undefined;
    at = end + 1;
  }
}
