import type { Hex } from '@indelible/identifiers';
import type { StampFile } from '@indelible/messages';
import { arrayOf, type Database } from '@indelible/postgres';
import type { FileStatus } from '../decisions/follow-stamp.ts';

export type FileFacts = {
  readonly stampId: string;
  readonly status: FileStatus;
  readonly account: Hex | null;
  readonly setCid: Hex | null;
  readonly objectCid: Hex | null;
  readonly fileName: string | null;
  readonly filePath: string | null;
  readonly size: number | null;
  readonly crc32c: number | null;
  readonly storedAt: string | null;
};

/** The file of a stamp; name and path only once stored. */
export async function readFile(database: Pick<Database, 'query'>, stampId: string): Promise<FileFacts | undefined> {
  const { rows } = await database.query<Omit<FileFacts, 'storedAt'> & { storedAt: Date | null }>({
    name: 'read-file',
    text: `select f.stamp_id as "stampId", f.status, '0x' || encode(s.account, 'hex') as account,
             '0x' || encode(s.set_cid, 'hex') as "setCid", '0x' || encode(s.object_cid, 'hex') as "objectCid",
             case f.status when 'success' then f.file_name end as "fileName",
             case f.status when 'success' then f.file_path end as "filePath",
             f.size, f.crc32c, f.stored_at as "storedAt"
           from files f left join stamps s using (stamp_id) where f.stamp_id = $1`,
    values: [stampId],
  });
  const [row] = rows;
  return row === undefined ? undefined : { ...row, storedAt: row.storedAt?.toISOString() ?? null };
}

/** The files of stamps that have one, with the fields of file events. */
export async function readShownFiles(
  database: Pick<Database, 'query'>,
  stampIds: readonly string[],
): Promise<readonly Omit<StampFile, 'fault'>[]> {
  const { rows } = await database.query<Omit<StampFile, 'fault'>>({
    name: 'read-shown-files',
    text: `select f.stamp_id as "stampId", f.status, f.came,
             case f.status when 'success' then f.file_name end as "fileName",
             case f.status when 'success' then f.file_path end as "filePath"
           from unnest($1::uuid[]) as requested (id)
           cross join lateral (select * from files where stamp_id = requested.id limit 1) as f
           where f.status <> 'failed'
             or (select true from stamps s where s.stamp_id = f.stamp_id and not s.recreated limit 1)`,
    values: [arrayOf.uuid(stampIds)],
  });
  return rows;
}
