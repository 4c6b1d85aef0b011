import { bytesPassed } from '@indelible/service-runtime';

/** COPY's binary format: the bytes before the rows, and after them. */
const signature = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
export const copyHeader = Buffer.concat([signature, Buffer.alloc(8)]);
export const copyTrailer = Buffer.from([0xff, 0xff]);
const noMoreRows = -1;

/** Whole rows in COPY's binary format, consecutive from `start` to `end` of `bytes`. */
export type CopiedRows = { readonly bytes: Buffer; readonly start: number; readonly end: number };

/**
 * Splits a stream in COPY's binary format at row ends. Holds at most a chunk and a row. A row at `at` has two bytes
 * with the number of its fields, then each field as four bytes with its length and that many bytes.
 */
export async function* wholeRows(chunks: AsyncIterable<Buffer>): AsyncGenerator<CopiedRows> {
  yield* cutAtRows(chunks, copyHeader.length);
}

/** The same for bare rows, without header and trailer. */
export async function* bareRows(chunks: AsyncIterable<Buffer>): AsyncGenerator<CopiedRows> {
  yield* cutAtRows(chunks, 0);
}

async function* cutAtRows(chunks: AsyncIterable<Buffer>, headerBytes: number): AsyncGenerator<CopiedRows> {
  let rest: Buffer | undefined;
  let started = headerBytes === 0;
  for await (const chunk of chunks) {
    const bytes: Buffer = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    if (!started) {
      if (bytes.length < headerBytes) {
        rest = bytes;
        continue;
      }
      start = headerBytes;
      started = true;
    }
    const last = endOfLastRow(bytes, start);
    if (last > start) yield { bytes, start, end: last };
    rest = last < bytes.length ? bytes.subarray(last) : undefined;
    bytesPassed(chunk.length);
  }
}

function endOfLastRow(bytes: Buffer, start: number): number {
  for (let last = start; ; ) {
    const end = endOfRow(bytes, last);
    if (end === undefined) return last;
    last = end;
  }
}

/** End of the row at `at`; undefined when it is incomplete, or the trailer. */
function endOfRow(bytes: Buffer, at: number): number | undefined {
  if (at + 2 > bytes.length) return undefined;
  const fields = bytes.readInt16BE(at);
  if (fields === noMoreRows) return undefined;
  let next = at + 2;
  for (let field = 0; field < fields; field++) {
    if (next + 4 > bytes.length) return undefined;
    next += 4 + bytes.readInt32BE(next);
  }
  return next > bytes.length ? undefined : next;
}

/** Consecutive rows, taken one by one or in blocks. */
export type RowSource = {
  /** The rows at hand that are not taken: at least one. @throws Error when no more come */
  rest(): Promise<CopiedRows>;
  /** Takes the rows at hand up to a place in their bytes. */
  take(upTo: number): void;
  /** The next row, taken. @throws Error when no more come */
  next(): Promise<CopiedRows>;
  /** All remaining rows; they are taken as they are read. */
  remaining(): AsyncGenerator<CopiedRows>;
  /** Resolves at the end of all rows. @throws Error when not all are taken */
  end(): Promise<void>;
};

export function createRowSource(blocks: AsyncGenerator<CopiedRows>): RowSource {
  let bytes: Buffer = Buffer.alloc(0);
  let start = 0;
  let end = 0;

  async function comes(): Promise<boolean> {
    while (start === end) {
      const { done, value } = await blocks.next();
      if (done === true) return false;
      ({ bytes, start, end } = value);
    }
    return true;
  }
  async function rest(): Promise<CopiedRows> {
    if (!(await comes())) throw new Error('fewer rows came than were counted');
    return { bytes, start, end };
  }
  return {
    rest,
    take(upTo) {
      start = upTo;
    },
    async next() {
      const row = await rest();
      start = endOfRow(row.bytes, row.start) ?? row.end;
      return { ...row, end: start };
    },
    async *remaining() {
      while (await comes()) {
        const rows = { bytes, start, end };
        start = end;
        yield rows;
      }
    },
    async end() {
      if (await comes()) throw new Error('more rows came than were counted');
    },
  };
}
