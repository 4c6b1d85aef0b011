import type { Reader } from '../readers/reader.ts';
import { keyOf, surveyTable } from '../readers/survey-table.ts';
import type { Survey } from '../running/survey.ts';

type Ports = { readonly reader: Reader; readonly pageSize: number };

type CollectionRow = {
  readonly id: number;
  readonly version: number;
  readonly is_created: boolean;
  readonly last: number | null;
  readonly type: string | null;
};

/** Stamping's collections ↔ the last event of each. */
export const surveyCollectionEvents = ({ reader, pageSize }: Ports): Survey =>
  surveyTable<CollectionRow>({
    reader,
    pageSize,
    of: 'collections by their events',
    table: 'stamping.collections',
    keys: [{ column: 'id', type: 'bigint' }],
    columns: 't.id, t.version, t.is_created, e.version as last, e.type',
    joins: `left join lateral (
      select version, type from stamping.events where stream = 'collection-' || t.id order by version desc limit 1) e on true`,
    judge: (rows) =>
      rows.flatMap((row) => {
        const what =
          row.last !== row.version
            ? `is at version ${row.version}, its events end with ${row.last ?? 'none'}`
            : row.is_created !== (row.type === 'CollectionCreated')
              ? `is ${row.is_created ? 'created' : 'not created'}, its last event is ${row.type}`
              : undefined;
        if (what === undefined) return [];
        const remedy =
          'restore the missing event from a backup of stamping.events, or put the row right by its last event';
        return [{ key: keyOf(row), subject: `collection ${row.id}`, what, remedy }];
      }),
  });

type FileRow = { readonly file_path: string; readonly event_path: string | null; readonly recreated: boolean | null };

/** Storage's stored files ↔ the event of each. One that no stamp message has named has none yet. */
export const surveyFileEvents = ({ reader, pageSize }: Ports): Survey =>
  surveyTable<FileRow>({
    reader,
    pageSize,
    of: 'files by their events',
    table: 'storage.files',
    keys: [{ column: 'stamp_id', type: 'uuid' }],
    where: "status = 'success'",
    columns: `t.file_path, e.data->>'filePath' as event_path, s.recreated`,
    joins: `left join storage.stamps s on s.stamp_id = t.stamp_id
      left join storage.events e on e.stream = 'file-' || t.stamp_id and e.version = 1`,
    judge: (rows) =>
      rows.flatMap((row) => {
        const what =
          row.recreated === null
            ? 'is stored, and storage has no stamp of it'
            : row.recreated || row.event_path === row.file_path
              ? undefined
              : row.event_path === null
                ? 'is stored, and no FileStored event names it'
                : `is stored at ${row.file_path}, its event says ${row.event_path}`;
        if (what === undefined) return [];
        const remedy =
          'restore the event or the row from a backup of the schema storage: the gateway shows what the event says';
        return [{ key: keyOf(row), subject: `file of stamp ${row.key[0]}`, what, remedy }];
      }),
  });
