import { once } from 'node:events';
import { parse } from 'csv-parse';
import { HttpError } from '../../errors/http-error.ts';
import { type CsvRow, invalidLine } from './plain-rows.ts';

/** Of a row's values together; a quoted value may hold line breaks. */
const maxRowBytes = 64 * 1024;

/**
 * csv-parse, starting at a row. Do not keep one for a long list if it began with another number of columns: it makes an
 * Error, with its stack, for each row that differs from its first, and takes four times as long.
 */
export function openCsvParser({ line, bom }: { readonly line: number; readonly bom: boolean }) {
  let rows: CsvRow[] = [];
  let count = 0;
  let next = line;
  let written = 0;
  let rowsEnd = 0;
  const parser = parse({
    bom,
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    max_record_size: maxRowBytes,
    // Collected here and not read from the parser: in step with its input, so that an error's line is known.
    on_record: (values: string[], { bytes }) => {
      rows.push({ line: next, values });
      count++;
      next += 1 + values.reduce((breaks, value) => breaks + lineBreaks(value, next), 0);
      rowsEnd = bytes;
      return null;
    },
  });
  const failed = new Promise<never>((_resolve, reject) => parser.once('error', reject));
  failed.catch(() => {});
  /** The parser's stream calls back once it has processed the bytes. */
  const step = async (start: (done: (error?: Error | null) => void) => void): Promise<CsvRow[]> => {
    try {
      await new Promise<void>((resolve, reject) => {
        start((error) => (error == null ? resolve() : reject(error)));
      });
    } catch (error) {
      throw error instanceof HttpError ? error : invalidLine(next, faultOf(error));
    }
    const taken = rows;
    rows = [];
    return taken;
  };
  return {
    /** @returns the complete rows. @throws HttpError 400 with the line */
    write(chunk: Buffer): Promise<CsvRow[]> {
      written += chunk.length;
      return step((done) => parser.write(chunk, done));
    },
    /** The rows that end with the text. @throws HttpError 400 with the line */
    end: () =>
      step((done) => {
        failed.catch(done);
        parser.once('end', () => done()).resume();
        parser.end();
      }),
    /** Rows so far. */
    rows: () => count,
    /** Bytes written after the last complete row. */
    pendingBytes: () => written - rowsEnd,
    /** Of the row that follows the last whole one. */
    nextLine: () => next,
    async close(): Promise<void> {
      if (parser.closed) return;
      const closed = once(parser, 'close');
      parser.destroy();
      await closed;
    },
  };
}

export type CsvParser = ReturnType<typeof openCsvParser>;

/** Line breaks within a quoted value. */
function lineBreaks(value: string, line: number): number {
  if (/\r(?!\n)/.test(value)) throw invalidLine(line, 'a carriage return without a line feed');
  let breaks = 0;
  for (let at = value.indexOf('\n'); at >= 0; at = value.indexOf('\n', at + 1)) breaks++;
  return breaks;
}

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
