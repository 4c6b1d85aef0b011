import type { FileStored } from '@indelible/messages';
import { arrayOf, type Client, type Database } from '@indelible/postgres';
import type { Announcement, Claim } from '../decisions/follow-stamp.ts';
import type { ReservedPath } from './paths.ts';

/** Records files to store under their reserved paths; an earlier failure is forgotten. */
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

export type PendingFile = {
  readonly stampId: string;
  readonly stagedId: string;
  readonly size: number;
  readonly crc32c: number;
  readonly fileName: string;
  readonly filePath: string;
  readonly attempt: number;
  /** Failed moves while the blob store was available for others. */
  readonly tries: number;
  /** Whether other files need the same staged content. */
  readonly shared: boolean;
};

/** The stamps' pending files. */
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

/** Number of pending files, up to the limit of counting. */
export async function countPending(database: Pick<Database, 'query'>): Promise<number> {
  const { rows } = await database.query<{ files: number }>({
    name: 'count-pending-files',
    text: `select count(*)::int as files from (
             select from files where status = 'pending' order by stamp_id limit $1::bigint) as pending`,
    values: [mostCounted],
  });
  return rows[0]?.files ?? 0;
}

/** Postpones pending files. */
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

/** Stamps with files due for a retry. */
export async function readDueFiles(database: Pick<Database, 'query'>, now: Date, limit: number): Promise<string[]> {
  const { rows } = await database.query<{ stamp_id: string }>({
    name: 'read-due-files',
    text: `select stamp_id from files where status = 'pending' and try_after <= $1 order by try_after, stamp_id limit $2`,
    values: [now, limit],
  });
  return rows.map((row) => row.stamp_id);
}

/** Gives a pending file another path; false when it is no longer pending under the old one. */
export async function movePending(client: Client, file: PendingFile, path: ReservedPath): Promise<boolean> {
  const { rowCount } = await client.query(
    `update files set file_name = $3, file_path = $4, attempt = $5
     where stamp_id = $1 and status = 'pending' and file_path = $2`,
    [file.stampId, file.filePath, path.fileName, path.filePath, path.attempt],
  );
  return rowCount === 1;
}
