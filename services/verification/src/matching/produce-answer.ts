import { checksumAddress } from '@indelible/identifiers';
import type { CopiedRows } from './copy-rows.ts';
import type { Candidate } from './find-candidates.ts';
import { matchSet, readAllObjects, type UploadedObjects } from './match-set.ts';
import type { Question } from './read-upload.ts';
import type { MatchingSession } from './sessions.ts';

/** Precedes the rows of a collection in the response: rows of three lists follow, of these lengths. */
export type CollectionHead = {
  readonly name: string | null;
  readonly cid: string | null;
  readonly address: string | null;
  readonly matched: number;
  readonly unmatchedObjects: number;
  readonly unmatchedReceipts: number;
};

/**
 * Streams the response as bare rows in COPY's binary format, as fast as Postgres sends them: for each collection a row
 * with its head, then its rows (see `Match`); last an end row. Holds nothing, so that the session is free after the
 * last row.
 */
export async function produceAnswer(
  session: MatchingSession,
  question: Question,
  candidates: readonly Candidate[],
  objects: UploadedObjects,
  write: (rows: Buffer) => Promise<void>,
): Promise<void> {
  const writeAll = async (rows: AsyncGenerator<CopiedRows>): Promise<void> => {
    for await (const { bytes, start, end } of rows) await write(bytes.subarray(start, end));
  };
  if (candidates.length === 0) {
    await write(headRow(notFound(question, objects.count)));
    await writeAll(readAllObjects(session));
  }
  const wanted = { unmatchedReceipts: question.unmatchedReceipts ?? true };
  for (const candidate of candidates) {
    const { rows, matched, unmatchedObjects, unmatchedReceipts } =
      candidate.match ?? (await matchSet(session, candidate, objects, wanted));
    const address = checksumAddress(candidate.account);
    const counts = { matched, unmatchedObjects, unmatchedReceipts };
    await write(headRow({ name: candidate.name, cid: candidate.setCid, address, ...counts }));
    await writeAll(rows());
  }
  await write(headRow(null));
}

/** Name and address as requested, no CID, every object unmatched. */
const notFound = ({ name, owner }: Question, objects: number): CollectionHead => ({
  name,
  cid: null,
  address: owner === null ? null : checksumAddress(owner),
  matched: 0,
  unmatchedObjects: objects,
  unmatchedReceipts: 0,
});

const fieldAt = 2 + 4;

function headRow(head: CollectionHead | null): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  const row = Buffer.alloc(fieldAt + text.length);
  row.writeInt16BE(1, 0);
  row.writeInt32BE(text.length, 2);
  text.copy(row, fieldAt);
  return row;
}

/** Null after the last collection. */
export const readHeadRow = ({ bytes, start, end }: CopiedRows): CollectionHead | null =>
  JSON.parse(bytes.toString('utf8', start + fieldAt, end)) as CollectionHead | null;
