import { InvalidBlobPathError } from '@indelible/blob-store';
import { faultOfContent, type HeldContent } from '../decisions/compare-content.ts';
import { type BlobPort, eachOf, readContent } from '../readers/read-content.ts';
import type { Reader } from '../readers/reader.ts';
import { hex, type Keyed, keyOf, surveyTable } from '../readers/survey-table.ts';
import type { Difference, Survey } from '../running/survey.ts';

type Ports = { readonly reader: Reader; readonly blobs: BlobPort; readonly pageSize: number; readonly sha3: boolean };

type Row = {
  readonly file_path: string;
  readonly size: number;
  readonly crc32c: number;
  readonly object_cid: string | null;
  /** The stamp that owns the path. */
  readonly path_of: string | null;
};

/** Files read at once: enough to hide waiting, too few to be felt. */
const width = 2;
const remedy =
  'put the file back at its path from a backup of the blob store, byte for byte; the client may have its content, too';

/** Storage's records of files ↔ what is at their paths. */
export const surveyStoredFiles = (ports: Ports): Survey =>
  surveyTable<Row>({
    reader: ports.reader,
    pageSize: ports.pageSize,
    of: 'stored files',
    table: 'storage.files',
    keys: [{ column: 'stamp_id', type: 'uuid' }],
    where: "status = 'success'",
    columns: `t.file_path, t.size, t.crc32c, ${hex('s.object_cid')} as object_cid, ${hex('p.object_cid')} as path_of`,
    joins: `left join storage.stamps s on s.stamp_id = t.stamp_id
      left join storage.paths p on p.file_path = t.file_path`,
    judge: (rows) => judgeFiles(ports, rows),
  });

/** Storage's records of what could not be stamped ↔ what is under non_confirmed/. */
export const surveyNonConfirmed = (ports: Ports): Survey =>
  surveyTable<Row>({
    reader: ports.reader,
    pageSize: ports.pageSize,
    of: 'non-confirmed files',
    table: 'storage.non_confirmed',
    keys: [{ column: 'request_id', type: 'uuid' }],
    where: "status = 'failed' and file_path is not null",
    columns: `t.file_path, t.size, t.crc32c, ${hex('t.object_cid')} as object_cid, ${hex('p.object_cid')} as path_of`,
    joins: 'left join storage.paths p on p.file_path = t.file_path',
    judge: (rows) => judgeFiles(ports, rows),
  });

async function judgeFiles({ blobs, sha3 }: Ports, rows: readonly Keyed<Row>[]): Promise<Difference[]> {
  const found: Difference[] = [];
  await eachOf(rows, width, async (row) => {
    const at = { key: keyOf(row), subject: `file ${row.file_path}` };
    const what = faultOfContent({ ...row, objectCid: row.object_cid }, await held(blobs, row, sha3));
    if (what !== undefined) found.push({ ...at, what, remedy });
    if (row.path_of !== row.object_cid)
      found.push({
        ...at,
        what: `its path is given to ${row.path_of ?? 'nobody'}, its content is ${row.object_cid ?? 'of no known stamp'}`,
        remedy: 'put the row of storage.paths right: else other content may be given that path',
      });
  });
  return found;
}

/** A path that the store could not hold, or that leads through a link, holds nothing. */
async function held(blobs: BlobPort, row: Row, sha3: boolean): Promise<HeldContent | undefined> {
  try {
    return await readContent(blobs, row.file_path, { size: row.size, sha3 });
  } catch (error) {
    if (error instanceof InvalidBlobPathError) return undefined;
    throw error;
  }
}
