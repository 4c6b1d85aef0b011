import { once } from 'node:events';
import { request } from 'node:http';
import {
  objectOfLargeSet,
  seededCid,
  seededSecond,
  seededTimestamp,
} from '../../../services/verification/seeds/seeded-commitments.ts';

export type MatchJob = {
  readonly url: string;
  /** First object of the large set, and how many. */
  readonly from: number;
  readonly objects: number;
};
export type MatchOutcome = {
  readonly seconds: number;
  /** Until the answer's first byte. */
  readonly firstByteSeconds: number;
  readonly status: number;
  readonly matchedReceipts: number;
};

const linesPerPage = 5_000;
const path = `/internal/collections/verify?caller=0x${'11'.repeat(20)}`;
const lastLine = `${JSON.stringify({ end: true, name: null, folded: null, owner: null })}\n`;
const receiptMark = Buffer.from('"transaction_hash"');
const endMark = Buffer.from('],"unmatched_objects"');

/** Sends a prepared body as fast as the server reads it, reads the whole response, and counts matched receipts. */
export async function matchObjects(job: MatchJob): Promise<MatchOutcome> {
  const pages = pagesOf(job);
  const began = performance.now();
  const seconds = (): number => (performance.now() - began) / 1_000;
  const sending = request(new URL(path, job.url), {
    ...{ agent: false, method: 'POST', headers: { 'content-type': 'application/x-ndjson' } },
  });
  const answered = once(sending, 'response');
  for (const page of pages) if (!sending.write(page)) await once(sending, 'drain');
  sending.end();
  const [answer] = await answered;
  let firstByteSeconds: number | undefined;
  let matchedReceipts = 0;
  let isOver = false;
  let rest = Buffer.alloc(0);
  for await (const chunk of answer) {
    firstByteSeconds ??= seconds();
    if (isOver) continue;
    const bytes = Buffer.concat([rest, chunk]);
    const end = bytes.indexOf(endMark);
    isOver = end >= 0;
    const seen = isOver ? bytes.subarray(0, end) : bytes;
    let counted = 0;
    for (let at = seen.indexOf(receiptMark); at >= 0; at = seen.indexOf(receiptMark, counted)) {
      matchedReceipts++;
      counted = at + receiptMark.length;
    }
    // A mark split between chunks is found with the next chunk.
    rest = Buffer.from(seen.subarray(Math.max(counted, seen.length - endMark.length)));
  }
  return { seconds: seconds(), firstByteSeconds: firstByteSeconds ?? 0, status: answer.statusCode, matchedReceipts };
}

function pagesOf({ from, objects }: MatchJob): Buffer[] {
  const pages: Buffer[] = [];
  for (let start = from; start < from + objects; start += linesPerPage) {
    const lines = Array.from({ length: Math.min(linesPerPage, from + objects - start) }, (_, i) => {
      const object = objectOfLargeSet(start + i);
      return `${JSON.stringify([seededCid(object).slice(2), seededSecond(object), seededTimestamp(object)])}\n`;
    });
    pages.push(Buffer.from(lines.join('')));
  }
  return [...pages, Buffer.from(lastLine)];
}
