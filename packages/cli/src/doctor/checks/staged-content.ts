import { type BlobPort, eachOf, isStaged } from '../readers/read-content.ts';
import type { Reader } from '../readers/reader.ts';
import { keyOf, surveyTable } from '../readers/survey-table.ts';
import type { Difference, Survey } from '../running/survey.ts';

type Row = { readonly staged_id: string; readonly pending_path: string | null; readonly is_stored: boolean };

const width = 2;

/** Claims on staged content ↔ what is staged: what is to become a file must be there (I7). */
export const surveyStagedContent = (ports: { reader: Reader; blobs: BlobPort; pageSize: number }): Survey =>
  surveyTable<Row>({
    reader: ports.reader,
    pageSize: ports.pageSize,
    of: 'claims on staged content',
    table: 'storage.staged',
    keys: [{ column: 'stamp_id', type: 'uuid' }],
    columns: `t.staged_id, coalesce(f.file_path, n.file_path) as pending_path, coalesce(f.status, '') = 'success' as is_stored`,
    joins: `left join storage.files f on f.stamp_id = t.stamp_id
      left join storage.non_confirmed n on n.request_id = t.stamp_id and n.status = 'pending'`,
    async judge(rows) {
      const found: Difference[] = [];
      await eachOf(rows, width, async (row) => {
        if (row.is_stored || (await isStaged(ports.blobs, row.staged_id))) return;
        // Moved already, and about to be noted so.
        if (row.pending_path !== null && (await isThere(ports.blobs, row.pending_path))) return;
        found.push({
          key: keyOf(row),
          subject: `content of stamp ${row.key[0]}`,
          what: `is claimed as ${row.staged_id}, and neither staged nor stored`,
          remedy:
            'put the staged content back from a backup of the blob store; else the client must upload it again once the stamp is confirmed',
        });
      });
      return found;
    },
  });

async function isThere(blobs: BlobPort, path: string): Promise<boolean> {
  const file = await blobs.open(path);
  file?.stream.on('error', () => {}).destroy();
  return file !== undefined;
}
