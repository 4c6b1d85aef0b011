import { type AnswerPage, createAnswerPage } from './answer-page.ts';
import type { RowSource } from './copy-rows.ts';
import { type CollectionHead, readHeadRow } from './produce-answer.ts';

/**
 * The answer's JSON in the public API's fields and formats, made of the rows of `produceAnswer`, a page of bytes at a time; it stays
 * until the next is requested.
 */
export async function* writeAnswer(rows: RowSource): AsyncGenerator<Buffer> {
  const page = createAnswerPage();
  page.text('{"collections":[');
  for (let written = 0; ; written++) {
    const head = readHeadRow(await rows.next());
    if (head === null) break;
    if (written > 0) page.text(',');
    yield* writeCollection(page, head, rows);
  }
  await rows.end();
  page.text(']}');
  yield page.take();
}

async function* writeCollection(page: AnswerPage, { name, cid, address, ...counts }: CollectionHead, rows: RowSource) {
  const writeReceipt = receiptWriter(page, address ?? '', cid ?? '');
  page.text(head(name, cid, address));
  page.text('"matched_receipts":[');
  yield* writeRows(page, rows, counts.matched, writeReceipt);
  page.text('],"unmatched_objects":[');
  yield* writeRows(page, rows, counts.unmatchedObjects, objectWriter(page));
  page.text('],"unmatched_receipts":[');
  yield* writeRows(page, rows, counts.unmatchedReceipts, writeReceipt);
  page.text(']}');
}

const head = (name: string | null, cid: string | null, address: string | null): string =>
  `{"name":${JSON.stringify(name)},"cid":${JSON.stringify(cid)},"user_address":${JSON.stringify(address)},`;

/** Writes the row at an offset, and returns where it ends. */
type RowWriter = (bytes: Buffer, at: number) => number;

async function* writeRows(page: AnswerPage, rows: RowSource, count: number, write: RowWriter) {
  for (let written = 0; written < count; ) {
    const { bytes, start, end } = await rows.rest();
    for (let at = start; at < end && written < count; written++) {
      if (written > 0) page.ascii(',');
      at = write(bytes, at);
      rows.take(at);
      if (page.full()) yield page.take();
    }
  }
}

/** Of the number of a row's fields, and of each field's length. */
const countBytes = 2;
const lengthBytes = 4;
const int8Bytes = 8;

const int8At = (bytes: Buffer, at: number): number => bytes.readInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);

/** Rows as in `Match`. What receipts of the same transaction share is computed once. */
function receiptWriter(page: AnswerPage, owner: string, setCid: string): RowWriter {
  const between = `","user_address":"${owner}","set_cid":"${setCid}","object_cid":"0x`;
  let headOf: Buffer = Buffer.alloc(0);
  let head: Buffer = headOf;
  return (bytes, start) => {
    const hash = start + countBytes + lengthBytes;
    const hashEnd = hash + bytes.readInt32BE(hash - lengthBytes);
    const cid = hashEnd + lengthBytes;
    const cidEnd = cid + bytes.readInt32BE(hashEnd);
    const time = cidEnd + lengthBytes;
    const chain = time + int8Bytes + lengthBytes;
    const sent = chain + int8Bytes + lengthBytes;
    if (headOf.compare(bytes, hash, hashEnd) !== 0) {
      headOf = Buffer.from(bytes.subarray(hash, hashEnd));
      head = Buffer.from(`{"transaction_hash":"0x${headOf.toString('hex')}${between}`, 'latin1');
    }
    page.copy(head);
    page.hex(bytes, cid, cidEnd);
    page.ascii('","timestamp":"');
    page.time(int8At(bytes, time));
    page.ascii(`","chain_id":${int8At(bytes, chain)}}`);
    return sent + bytes.readInt32BE(sent - lengthBytes);
  };
}

/** Rows as of `Match`. */
function objectWriter(page: AnswerPage): RowWriter {
  return (bytes, start) => {
    const cid = start + countBytes + lengthBytes + bytes.readInt32BE(start + countBytes) + lengthBytes;
    const cidEnd = cid + bytes.readInt32BE(cid - lengthBytes);
    const sent = cidEnd + 2 * (lengthBytes + int8Bytes) + lengthBytes;
    const end = sent + bytes.readInt32BE(sent - lengthBytes);
    page.ascii('{"cid":"0x');
    page.hex(bytes, cid, cidEnd);
    page.ascii('","timestamp":');
    page.text(JSON.stringify(bytes.toString('utf8', sent, end)));
    page.ascii('}');
    return end;
  };
}
