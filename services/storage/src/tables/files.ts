import { hexOfBytes } from '@indelible/identifiers';
import type { FileFailed, FileStored } from '@indelible/messages';
import { arrayOf, type Client } from '@indelible/postgres';
import type { Announcement } from '../decisions/follow-stamp.ts';
import type { PendingFile } from './pending-files.ts';

/** The stamp's fields in the events of a file. */
type OfStamp = Pick<
  FileFailed,
  'stampId' | 'requestId' | 'account' | 'setCid' | 'objectCid' | 'collectionName' | 'clientRef'
>;

const ofStampColumns = `s.stamp_id as "stampId", s.request_id as "requestId", s.account, s.set_cid as "setCid",
  s.object_cid as "objectCid", s.collection_name as "collectionName", s.client_ref as "clientRef"`;

/** As the driver reads it. */
type Row<Facts extends OfStamp> = Omit<Facts, 'account' | 'setCid' | 'objectCid'> &
  Record<'account' | 'setCid' | 'objectCid', Buffer>;

const ofRow = <Read extends Row<OfStamp>>(row: Read) => ({
  ...row,
  account: hexOfBytes(row.account),
  setCid: hexOfBytes(row.setCid),
  objectCid: hexOfBytes(row.objectCid),
});

export type FailedFile = Announcement & OfStamp & Pick<FileFailed, 'came'>;

/**
 * Rows from before it was stored, and content that failed before it had a path, count as with-stamp: nearly all content
 * is.
 */
const came = `coalesce(f.came, 'with-stamp') as came`;
const failedColumns = `${ofStampColumns}, ${came}, f.reply_to as "replyTo", f.traceparent`;
/** An unconfirmed stamp has no facts yet, and no other service knows a recreated record's id. */
const confirmedStamp =
  'cross join lateral (select * from stamps where stamp_id = f.stamp_id and not recreated limit 1) as s';

/**
 * Marks these stamps' content as never storable; a stored file stays stored. Returns those that this call changed, of
 * confirmed stamps.
 */
export async function saveFailed(client: Client, stampIds: readonly string[]): Promise<FailedFile[]> {
  if (stampIds.length === 0) return [];
  const { rows } = await client.query<Row<FailedFile>>({
    name: 'save-failed-files',
    text: `with turned as (
             insert into files (stamp_id, status) select id, 'failed' from unnest($1::uuid[]) as id
             on conflict (stamp_id) do update set status = 'failed' where files.status = 'pending'
             returning *)
           select ${failedColumns} from turned f ${confirmedStamp}`,
    values: [arrayOf.uuid(stampIds)],
  });
  return rows.map(ofRow);
}

/** The failed files of the stamps. */
export async function readFailed(client: Client, stampIds: readonly string[]): Promise<FailedFile[]> {
  if (stampIds.length === 0) return [];
  const { rows } = await client.query<Row<FailedFile>>({
    name: 'read-failed-files',
    text: `select ${failedColumns} from files f ${confirmedStamp}
           where f.stamp_id = any($1::uuid[]) and f.status = 'failed'`,
    values: [arrayOf.uuid(stampIds)],
  });
  return rows.map(ofRow);
}

export type StoredFile = Omit<FileStored, 'storedAt'> & {
  readonly traceparent: string | null;
  /** Whether no stamp message has named its commitment: then storage made its id. */
  readonly recreated: boolean;
};

const storedColumns = `${ofStampColumns}, f.file_name as "fileName", f.file_path as "filePath", f.size, f.crc32c,
  ${came}, f.reply_to as "replyTo", f.traceparent, s.recreated`;

/** Marks pending files as stored; returns those that this call changed: each file once ever. */
export async function saveStored(client: Client, files: readonly PendingFile[], storedAt: Date): Promise<StoredFile[]> {
  const { rows } = await client.query<Row<StoredFile>>({
    name: 'save-stored-files',
    text: `with turned as (
             update files f set status = 'success', stored_at = $3
             from (
               -- Taken for a thousand, where arrays are for ten: then the two are joined by a hash.
               select ($1::uuid[])[n] as stamp_id, ($2::text[])[n] as file_path
               from generate_series(1, cardinality($1::uuid[])) as n) as done
             where f.stamp_id = done.stamp_id and f.stamp_id = any($1::uuid[]) and f.file_path = done.file_path
               and f.status = 'pending' and (select s.stamp_id from stamps s where s.stamp_id = f.stamp_id) is not null
             returning f.*)
           select ${storedColumns} from turned f
             cross join lateral (select * from stamps where stamp_id = f.stamp_id limit 1) as s`,
    values: [
      arrayOf.uuid(files.map((file) => file.stampId)),
      arrayOf.text(files.map((file) => file.filePath)),
      storedAt,
    ],
  });
  return rows.map(ofRow);
}

/** The stored files of stamps, for their events. */
export async function readStored(
  client: Client,
  stampIds: readonly string[],
): Promise<{ readonly file: StoredFile; readonly storedAt: Date }[]> {
  const { rows } = await client.query<Row<StoredFile> & { storedAt: Date }>({
    name: 'read-stored-files',
    text: `select ${storedColumns}, f.stored_at as "storedAt" from files f
             cross join lateral (select * from stamps where stamp_id = f.stamp_id limit 1) as s
           where f.stamp_id = any($1::uuid[]) and f.status = 'success'`,
    values: [arrayOf.uuid(stampIds)],
  });
  return rows.map(({ storedAt, ...row }) => ({ file: ofRow(row), storedAt }));
}
