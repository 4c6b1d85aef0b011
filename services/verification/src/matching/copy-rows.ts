/** COPY's binary format: what stands before the rows, and after them. */
const signature = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
export const copyHeader = Buffer.concat([signature, Buffer.alloc(8)]);
const noMoreRows = -1;

/** Whole rows of COPY's binary format, one after the other from `start` to `end` of `bytes`. */
export type CopiedRows = { readonly bytes: Buffer; readonly start: number; readonly end: number };

/**
 * Cuts a stream of COPY's binary format at the ends of rows. No more than a chunk and a row is held.
 * Of a row that starts at `at`: two bytes with the number of its fields, then each field as four bytes with its length
 * and that many bytes.
 */
export async function* wholeRows(chunks: AsyncIterable<Buffer>): AsyncGenerator<CopiedRows> {
  let rest: Buffer | undefined;
  let started = false;
  for await (const chunk of chunks) {
    const bytes: Buffer = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    if (!started) {
      if (bytes.length < copyHeader.length) {
        rest = bytes;
        continue;
      }
      start = copyHeader.length;
      started = true;
    }
    const last = endOfLastRow(bytes, start);
    if (last > start) yield { bytes, start, end: last };
    rest = last < bytes.length ? bytes.subarray(last) : undefined;
  }
}

function endOfLastRow(bytes: Buffer, start: number): number {
  for (let last = start; ; ) {
    const end = endOfRow(bytes, last);
    if (end === undefined) return last;
    last = end;
  }
}

/** Where the row that starts at `at` ends; undefined when it is not whole, or is the end of all rows. */
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

/** A copy of its own of some rows, a buffer each. */
export async function holdRows(blocks: AsyncIterable<CopiedRows>): Promise<Buffer[]> {
  const rows: Buffer[] = [];
  for await (const { bytes, start, end } of blocks)
    for (let at = start; at < end; ) {
      const next = endOfRow(bytes, at) ?? end;
      rows.push(Buffer.from(bytes.subarray(at, next)));
      at = next;
    }
  return rows;
}

/** The rows without some of them, which come in the same order. */
export async function* withoutRows(
  blocks: AsyncIterable<CopiedRows>,
  left: readonly Buffer[],
): AsyncGenerator<CopiedRows> {
  let nth = 0;
  for await (const { bytes, start, end } of blocks) {
    let kept = start;
    for (let at = start; at < end && nth < left.length; ) {
      const row = left[nth];
      const next = endOfRow(bytes, at) ?? end;
      if (row !== undefined && row.compare(bytes, at, next) === 0) {
        if (at > kept) yield { bytes, start: kept, end: at };
        kept = next;
        nth++;
      }
      at = next;
    }
    if (end > kept) yield { bytes, start: kept, end };
  }
  if (nth < left.length) throw new Error('rows to leave out did not come');
}
