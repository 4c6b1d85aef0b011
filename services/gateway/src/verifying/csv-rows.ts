import { once } from 'node:events';
import { parse } from 'csv-parse';
import { HttpError } from '../http/errors.ts';

export type CsvRow = {
  /** Where it begins, from 1. */
  readonly line: number;
  readonly values: readonly string[];
};

const maxLineBytes = 64 * 1024;
/** Of a row's values together; a quoted value may hold line breaks. */
const maxRowBytes = 64 * 1024;

/**
 * Reads CSV as it arrives (RFC 4180; LF or CRLF, a byte order mark allowed): rows in batches, whatever their number of
 * columns. What it holds is bounded by a chunk's rows and one row that goes on. The bytes must be UTF-8.
 * @throws HttpError 400 with the line
 */
export async function* readCsvRows(chunks: AsyncIterable<Buffer>): AsyncGenerator<CsvRow[], void, undefined> {
  let rows: CsvRow[] = [];
  let line = 1;
  const parser = parse({
    bom: true,
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    max_record_size: maxRowBytes,
    // Taken here and not read from the parser: in step with what it was given, so that an error's line is known.
    on_record: (values: string[]) => {
      rows.push({ line, values });
      line += 1 + values.reduce((breaks, value) => breaks + lineBreaks(value, line), 0);
      return null;
    },
  });
  const checkBytes = createByteCheck();
  const failed = new Promise<never>((_resolve, reject) => parser.once('error', reject));
  failed.catch(() => {});
  /** The parser's stream calls back when it has dealt with the bytes. */
  const step = async (start: (done: (error?: Error | null) => void) => void): Promise<void> => {
    try {
      await new Promise<void>((resolve, reject) => {
        start((error) => (error == null ? resolve() : reject(error)));
      });
    } catch (error) {
      throw error instanceof HttpError ? error : invalidLine(line, faultOf(error));
    }
  };
  try {
    for await (const chunk of chunks) {
      checkBytes(chunk);
      await step((done) => parser.write(chunk, done));
      if (rows.length > 0) yield rows;
      rows = [];
    }
    await step((done) => {
      failed.catch(done);
      parser.once('end', () => done()).resume();
      parser.end();
    });
    if (rows.length > 0) yield rows;
  } finally {
    if (!parser.closed) {
      const closed = once(parser, 'close');
      parser.destroy();
      await closed;
    }
  }
}

export const invalidLine = (line: number, text: string): HttpError => new HttpError(400, `line ${line}: ${text}`);

/** Line breaks within a quoted value. */
function lineBreaks(value: string, line: number): number {
  if (/\r(?!\n)/.test(value)) throw invalidLine(line, 'a carriage return without a line feed');
  let breaks = 0;
  for (let at = value.indexOf('\n'); at >= 0; at = value.indexOf('\n', at + 1)) breaks++;
  return breaks;
}

/** What the parser does not bound or refuse: lines of any length, zero bytes (as UTF-16 has them). */
function createByteCheck(): (chunk: Buffer) => void {
  let line = 1;
  let lineBytes = 0;
  return (chunk) => {
    for (let start = 0; start < chunk.length; ) {
      const end = chunk.indexOf(lineFeed, start);
      lineBytes += (end < 0 ? chunk.length : end) - start;
      if (lineBytes > maxLineBytes) throw invalidLine(line, `longer than ${maxLineBytes} bytes`);
      if (end < 0) break;
      line++;
      lineBytes = 0;
      start = end + 1;
    }
    if (chunk.includes(0)) throw new HttpError(400, 'the CSV holds a zero byte', { details: 'it must be UTF-8 text' });
  };
}

const lineFeed = 0x0a;

function faultOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'a quoted value is not closed';
    case 'CSV_INVALID_CLOSING_QUOTE':
      return 'a quoted value is followed by something else than a comma or a line break';
    case 'INVALID_OPENING_QUOTE':
      return 'a quote within a value that is not quoted';
    case 'CSV_MAX_RECORD_SIZE':
      return `the row is longer than ${maxRowBytes} bytes, or a quoted value is not closed`;
    default:
      return 'malformed CSV';
  }
}
