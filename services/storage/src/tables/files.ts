import { type Hex, hexOfBytes } from '@indelible/identifiers';
import type { FileFailed, FileStored } from '@indelible/messages';
import { arrayOf, type Client, type Database } from '@indelible/postgres';
import type { Announcement, Claim, FileStatus } from '../decisions/follow-stamp.ts';
import type { ReservedPath } from './paths.ts';

/** Notes files that are to be stored under paths that are theirs; a failed attempt before is forgotten. */
export async function savePending(
  client: Client,
  files: readonly {
    readonly stampId: string;
    readonly claim: Claim;
    readonly path: ReservedPath;
    readonly announcement: Announcement;
    readonly came: FileStored['came'];
  }[],
): Promise<void> {
  if (files.length === 0) return;
  await client.query({
    name: 'save-pending-files',
    text: `insert into files (stamp_id, status, staged_id, size, crc32c, file_name, file_path, attempt, reply_to,
             traceparent, came)
           select stamp_id, 'pending', staged_id, size, crc32c, file_name, file_path, attempt, reply_to, traceparent, came
           from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::smallint[],
             $8::text[], $9::text[], $10::text[])
             as f (stamp_id, staged_id, size, crc32c, file_name, file_path, attempt, reply_to, traceparent, came)
           on conflict (stamp_id) do update set status = 'pending', staged_id = excluded.staged_id,
             size = excluded.size, crc32c = excluded.crc32c, file_name = excluded.file_name,
             file_path = excluded.file_path, attempt = excluded.attempt, reply_to = excluded.reply_to,
             traceparent = excluded.traceparent, came = excluded.came, tries = 0, try_after = null
           where files.status = 'failed'`,
    values: [
      arrayOf.uuid(files.map((file) => file.stampId)),
      arrayOf.uuid(files.map(({ claim }) => claim.stagedId)),
      arrayOf.bigint(files.map(({ claim }) => claim.size)),
      arrayOf.bigint(files.map(({ claim }) => claim.crc32c)),
      arrayOf.text(files.map(({ path }) => path.fileName)),
      arrayOf.text(files.map(({ path }) => path.filePath)),
      arrayOf.smallint(files.map(({ path }) => path.attempt)),
      arrayOf.text(files.map(({ announcement }) => announcement.replyTo)),
      arrayOf.text(files.map(({ announcement }) => announcement.traceparent)),
      arrayOf.text(files.map(({ came }) => came)),
    ],
  });
}

/** What the events of a file carry of its stamp. */
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

/** Of a row written before it was kept, and of content that failed before its path was known: with its stamp, as nearly all content does. */
const came = `coalesce(f.came, 'with-stamp') as came`;
const failedColumns = `${ofStampColumns}, ${came}, f.reply_to as "replyTo", f.traceparent`;
/** Of a stamp that is not confirmed yet nothing is known, and a recreated record has an id that nobody else knows. */
const confirmedStamp =
  'cross join lateral (select * from stamps where stamp_id = f.stamp_id and not recreated limit 1) as s';

/**
 * Notes that these stamps' content can never be stored; a stored file stays one. Returns those that this call turned, of confirmed
 * stamps.
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

/** Those of the stamps' files that failed. */
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

export type PendingFile = {
  readonly stampId: string;
  readonly stagedId: string;
  readonly size: number;
  readonly crc32c: number;
  readonly fileName: string;
  readonly filePath: string;
  readonly attempt: number;
  /** How often it could not be moved while the blob store was available for others. */
  readonly tries: number;
  /** Whether further files are to be made of the same staged content. */
  readonly shared: boolean;
};

/** Those of the stamps' files that are to be stored. */
export async function readPending(
  database: Pick<Database, 'query'>,
  stampIds: readonly string[],
): Promise<PendingFile[]> {
  const { rows } = await database.query<PendingFile>({
    name: 'read-pending-files',
    text: `select stamp_id as "stampId", staged_id as "stagedId", size, crc32c, file_name as "fileName",
             file_path as "filePath", attempt, tries,
             exists (select from staged c where c.staged_id = files.staged_id and c.stamp_id <> files.stamp_id) as shared
           from files where stamp_id = any($1::uuid[]) and status = 'pending'`,
    values: [arrayOf.uuid(stampIds)],
  });
  return rows;
}

/** More pending files than this are not counted. */
const mostCounted = 10_000;

/** How many files are to be stored, as far as they are counted. */
export async function countPending(database: Pick<Database, 'query'>): Promise<number> {
  const { rows } = await database.query<{ files: number }>({
    name: 'count-pending-files',
    text: `select count(*)::int as files from (
             select from files where status = 'pending' order by stamp_id limit $1::bigint) as pending`,
    values: [mostCounted],
  });
  return rows[0]?.files ?? 0;
}

/** Notes that pending files are tried again later. */
export async function postponeFiles(
  client: Client,
  files: readonly { readonly stampId: string; readonly tries: number; readonly tryAfter: Date }[],
): Promise<void> {
  if (files.length === 0) return;
  await client.query({
    name: 'postpone-files',
    text: `update files f set tries = p.tries, try_after = p.try_after
           from unnest($1::uuid[], $2::smallint[], $3::timestamptz[]) as p (stamp_id, tries, try_after)
           where f.stamp_id = p.stamp_id and f.stamp_id = any($1::uuid[]) and f.status = 'pending'`,
    values: [
      arrayOf.uuid(files.map(({ stampId }) => stampId)),
      arrayOf.smallint(files.map(({ tries }) => tries)),
      arrayOf.timestamptz(files.map(({ tryAfter }) => tryAfter)),
    ],
  });
}

/** The stamps whose files are to be tried again now. */
export async function readDueFiles(database: Pick<Database, 'query'>, now: Date, limit: number): Promise<string[]> {
  const { rows } = await database.query<{ stamp_id: string }>({
    name: 'read-due-files',
    text: `select stamp_id from files where status = 'pending' and try_after <= $1 order by try_after, stamp_id limit $2`,
    values: [now, limit],
  });
  return rows.map((row) => row.stamp_id);
}

/** Gives a pending file another path; false when it is not pending under the former any more. */
export async function movePending(client: Client, file: PendingFile, path: ReservedPath): Promise<boolean> {
  const { rowCount } = await client.query(
    `update files set file_name = $3, file_path = $4, attempt = $5
     where stamp_id = $1 and status = 'pending' and file_path = $2`,
    [file.stampId, file.filePath, path.fileName, path.filePath, path.attempt],
  );
  return rowCount === 1;
}

export type StoredFile = Omit<FileStored, 'storedAt'> & {
  readonly traceparent: string | null;
  /** Whether no stamp message has told of its commitment: then its id is storage's own. */
  readonly recreated: boolean;
};

const storedColumns = `${ofStampColumns}, f.file_name as "fileName", f.file_path as "filePath", f.size, f.crc32c,
  ${came}, f.reply_to as "replyTo", f.traceparent, s.recreated`;

/** Turns pending files into stored ones; answers those that this call turned, each file once in its life. */
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

/** The file of a stamp; its name and path only once it lies there. */
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
