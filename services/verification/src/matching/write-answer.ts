import { checksumAddress } from '@indelible/identifiers';
import { type AnswerPage, createAnswerPage } from './answer-page.ts';
import { type CopiedRows, holdRows, withoutRows } from './copy-rows.ts';
import type { Candidate } from './find-candidates.ts';
import { readAllObjects, readReceipts, readReceiptsThat, readUnmatchedObjects } from './read-matches.ts';
import type { Question } from './read-upload.ts';
import type { MatchingSession } from './sessions.ts';
import { tallySet } from './tally.ts';

/**
 * Receipts that are kept in memory, some 130 bytes each. When no more than these match, or do not, the other list is
 * all receipts but these, read in the order of an index and without a join.
 */
const maxReceiptsHeld = 20_000;

/**
 * The answer's JSON in the public API's fields and formats, a page of bytes at a time; it stays until the next is asked
 * for.
 * @param rows how many objects were submitted
 */
export async function* writeAnswer(
  session: MatchingSession,
  question: Question,
  candidates: readonly Candidate[],
  rows: number,
): AsyncGenerator<Buffer> {
  const page = createAnswerPage();
  page.text('{"collections":[');
  if (candidates.length === 0) yield* writeNotFound(session, page, question);
  for (const [i, candidate] of candidates.entries()) {
    if (i > 0) page.text(',');
    yield* writeCandidate(session, page, candidate, rows);
  }
  page.text(']}');
  yield page.take();
}

/** The name and the address as asked, no CID, every object unmatched. */
async function* writeNotFound(session: MatchingSession, page: AnswerPage, { name, owner }: Question) {
  page.text(head(name, null, owner === null ? null : checksumAddress(owner)));
  page.text('"matched_receipts":[],"unmatched_objects":[');
  yield* writeRows(page, readAllObjects(session), objectWriter(page));
  page.text('],"unmatched_receipts":[]}');
}

async function* writeCandidate(session: MatchingSession, page: AnswerPage, candidate: Candidate, rows: number) {
  const owner = checksumAddress(candidate.account);
  const tally = candidate.tally ?? (await tallySet(session, candidate, rows));
  const unmatched = tally.receipts - tally.matched;
  const fewer = tally.matched < unmatched ? ('matched' as const) : ('unmatched' as const);
  const held =
    Math.min(tally.matched, unmatched) <= maxReceiptsHeld
      ? await holdRows(receiptsThat(fewer, Math.min(tally.matched, unmatched)))
      : undefined;

  function receiptsThat(kind: 'matched' | 'unmatched', count: number): AsyncIterable<CopiedRows> {
    return count === 0 ? blocksOf([]) : readReceiptsThat(session, kind === 'matched', candidate, tally);
  }
  function receipts(kind: 'matched' | 'unmatched', count: number): AsyncIterable<CopiedRows> {
    if (held === undefined || count === 0) return receiptsThat(kind, count);
    return kind === fewer ? blocksOf(held) : withoutRows(readReceipts(session, candidate), held);
  }
  function unmatchedObjects(): AsyncIterable<CopiedRows> {
    if (tally.matched === 0) return readAllObjects(session);
    return readUnmatchedObjects(session, candidate, tally);
  }

  const writeReceipt = receiptWriter(page, owner, candidate.setCid);
  page.text(head(candidate.name, candidate.setCid, owner));
  page.text('"matched_receipts":[');
  yield* writeRows(page, receipts('matched', tally.matched), writeReceipt);
  page.text('],"unmatched_objects":[');
  if (tally.matched < tally.objects) yield* writeRows(page, unmatchedObjects(), objectWriter(page));
  page.text('],"unmatched_receipts":[');
  yield* writeRows(page, receipts('unmatched', unmatched), writeReceipt);
  page.text(']}');
}

const head = (name: string | null, cid: string | null, address: string | null): string =>
  `{"name":${JSON.stringify(name)},"cid":${JSON.stringify(cid)},"user_address":${JSON.stringify(address)},`;

/** Writes the row that starts at a place, and gives where it ends. */
type RowWriter = (bytes: Buffer, at: number) => number;

async function* writeRows(page: AnswerPage, blocks: AsyncIterable<CopiedRows>, write: RowWriter) {
  let first = true;
  for await (const { bytes, start, end } of blocks)
    for (let at = start; at < end; ) {
      if (!first) page.ascii(',');
      first = false;
      at = write(bytes, at);
      if (page.full()) yield page.take();
    }
}

async function* blocksOf(rows: readonly Buffer[]): AsyncGenerator<CopiedRows> {
  for (const bytes of rows) yield { bytes, start: 0, end: bytes.length };
}

/** Of the number of a row's fields, and of each field's length. */
const countBytes = 2;
const lengthBytes = 4;
const int8Bytes = 8;

const int8At = (bytes: Buffer, at: number): number => bytes.readInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);

/** See `receiptFields` of read-matches.ts. */
function receiptWriter(page: AnswerPage, owner: string, setCid: string): RowWriter {
  const between = `","user_address":"${owner}","set_cid":"${setCid}","object_cid":"0x`;
  return (bytes, start) => {
    const hash = start + countBytes + lengthBytes;
    const hashEnd = hash + bytes.readInt32BE(hash - lengthBytes);
    const cid = hashEnd + lengthBytes;
    const cidEnd = cid + bytes.readInt32BE(hashEnd);
    const time = cidEnd + lengthBytes;
    const chain = time + int8Bytes + lengthBytes;
    page.ascii('{"transaction_hash":"0x');
    page.hex(bytes, hash, hashEnd);
    page.ascii(between);
    page.hex(bytes, cid, cidEnd);
    page.ascii('","timestamp":"');
    page.time(int8At(bytes, time));
    page.ascii('","chain_id":');
    page.ascii(String(int8At(bytes, chain)));
    page.ascii('}');
    return chain + int8Bytes + lengthBytes + int8Bytes;
  };
}

/** A CID, and the timestamp as it was sent. */
function objectWriter(page: AnswerPage): RowWriter {
  return (bytes, start) => {
    const cid = start + countBytes + lengthBytes;
    const cidEnd = cid + bytes.readInt32BE(cid - lengthBytes);
    const sent = cidEnd + lengthBytes;
    const sentEnd = sent + bytes.readInt32BE(cidEnd);
    page.ascii('{"cid":"0x');
    page.hex(bytes, cid, cidEnd);
    page.ascii('","timestamp":');
    page.text(JSON.stringify(bytes.toString('utf8', sent, sentEnd)));
    page.ascii('}');
    return sentEnd;
  };
}
