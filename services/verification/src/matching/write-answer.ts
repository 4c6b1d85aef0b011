import { checksumAddress, receiptTime } from '@indelible/identifiers';
import type { Client } from '@indelible/postgres';
import type { Candidate } from './find-candidates.ts';
import {
  type MatchReceipt,
  readAllObjects,
  readReceipts,
  readUnmatchedObjects,
  type UnmatchedObject,
} from './read-matches.ts';
import type { Question } from './read-upload.ts';

/** The answer's JSON in the public API's fields and formats, a page of rows at a time. */
export async function* writeAnswer(
  session: Client,
  question: Question,
  candidates: readonly Candidate[],
): AsyncGenerator<string> {
  yield '{"collections":[';
  if (candidates.length === 0) yield* writeNotFound(session, question);
  for (const [i, candidate] of candidates.entries()) {
    if (i > 0) yield ',';
    yield* writeCandidate(session, candidate);
  }
  yield ']}';
}

/** The name and the address as asked, no CID, every object unmatched. */
async function* writeNotFound(session: Client, { name, owner }: Question): AsyncGenerator<string> {
  yield head(name, null, owner === null ? null : checksumAddress(owner));
  yield '"matched_receipts":[],"unmatched_objects":[';
  yield* joinPages(readAllObjects(session), objectText);
  yield '],"unmatched_receipts":[]}';
}

/** Both lists of receipts come of one cursor, the matched first: the page where they meet is kept in between. */
async function* writeCandidate(session: Client, candidate: Candidate): AsyncGenerator<string> {
  const owner = checksumAddress(candidate.account);
  yield head(candidate.name, candidate.setCid, owner);
  const receiptText = (receipt: MatchReceipt): string =>
    `{"transaction_hash":"0x${receipt.transactionHash}","user_address":"${owner}","set_cid":"${candidate.setCid}",` +
    `"object_cid":"0x${receipt.objectCid}","timestamp":"${receiptTime(receipt.blockTime)}",` +
    `"chain_id":${receipt.chainId}}`;
  const receipts = readReceipts(session, candidate);
  let unmatched: MatchReceipt[] = [];
  async function* matchedPages(): AsyncGenerator<MatchReceipt[]> {
    while (unmatched.length === 0) {
      const { value: page, done } = await receipts.next();
      if (done === true) return;
      const meeting = page.findIndex((receipt) => !receipt.matched);
      unmatched = meeting === -1 ? [] : page.slice(meeting);
      yield meeting === -1 ? page : page.slice(0, meeting);
    }
  }
  async function* unmatchedPages(): AsyncGenerator<MatchReceipt[]> {
    if (unmatched.length === 0) return;
    yield unmatched;
    yield* receipts;
  }
  yield '"matched_receipts":[';
  yield* joinPages(matchedPages(), receiptText);
  yield '],"unmatched_objects":[';
  yield* joinPages(readUnmatchedObjects(session, candidate), objectText);
  yield '],"unmatched_receipts":[';
  yield* joinPages(unmatchedPages(), receiptText);
  yield ']}';
}

const head = (name: string | null, cid: string | null, address: string | null): string =>
  `{"name":${JSON.stringify(name)},"cid":${JSON.stringify(cid)},"user_address":${JSON.stringify(address)},`;

const objectText = ({ cid, sent }: UnmatchedObject): string => `{"cid":"0x${cid}","timestamp":${JSON.stringify(sent)}}`;

async function* joinPages<Row>(pages: AsyncIterable<readonly Row[]>, textOf: (row: Row) => string) {
  let first = true;
  for await (const page of pages) {
    if (page.length === 0) continue;
    const text = page.map(textOf).join(',');
    yield first ? text : `,${text}`;
    first = false;
  }
}
