import { bytesOfHex, type Hex, hexOfBytes } from '@indelible/identifiers';
import type { KeepNonConfirmedContent } from '@indelible/messages';
import type { Client, Database } from '@indelible/postgres';
import type { ReservedPath } from './paths.ts';

/** Content under `non_confirmed/`; its path is set once it is stored there, and never if it cannot be. */
export type NonConfirmed = {
  readonly requestId: string;
  readonly status: 'pending' | 'failed';
  readonly account: Hex;
  readonly setCid: Hex;
  readonly objectCid: Hex;
  readonly collectionName: string;
  readonly requestedAt: Date;
  readonly size: number;
  readonly crc32c: number;
  readonly stagedId: string;
  readonly givenName: string;
  readonly fileName: string | null;
  readonly filePath: string | null;
  readonly attempt: number | null;
  /** Failed moves while the blob store was available for others. */
  readonly tries: number;
};

/** Records content to keep under a path or, without one, that it never can be. */
export async function saveNonConfirmed(
  client: Client,
  { requestId, account, setCid, objectCid, collectionName, requestedAt, content }: KeepNonConfirmedContent,
  path: ReservedPath | undefined,
): Promise<void> {
  await client.query(
    `insert into non_confirmed (request_id, status, account, set_cid, object_cid, collection_name, requested_at, size,
       crc32c, staged_id, given_name, file_name, file_path, attempt)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      requestId,
      path === undefined ? 'failed' : 'pending',
      bytesOfHex(account),
      bytesOfHex(setCid),
      bytesOfHex(objectCid),
      collectionName,
      requestedAt,
      content.size,
      content.crc32c,
      content.stagedId,
      content.fileName,
      path?.fileName ?? null,
      path?.filePath ?? null,
      path?.attempt ?? null,
    ],
  );
}

/** Whether this content of this set is already kept or pending. */
export async function isKept(
  client: Client,
  { objectCid, account, setCid }: Pick<NonConfirmed, 'objectCid' | 'account' | 'setCid'>,
): Promise<boolean> {
  const { rowCount } = await client.query(
    'select from non_confirmed where object_cid = $1 and account = $2 and set_cid = $3',
    [bytesOfHex(objectCid), bytesOfHex(account), bytesOfHex(setCid)],
  );
  return rowCount === 1;
}

/** The record of a request; undefined without one. */
export async function readNonConfirmed(
  database: Pick<Database, 'query'>,
  requestId: string,
): Promise<NonConfirmed | undefined> {
  const { rows } = await database.query<
    Omit<NonConfirmed, 'account' | 'setCid' | 'objectCid'> & Record<'account' | 'setCid' | 'objectCid', Buffer>
  >(
    `select request_id as "requestId", status, account, set_cid as "setCid", object_cid as "objectCid",
       collection_name as "collectionName", requested_at as "requestedAt", size, crc32c, staged_id as "stagedId",
       given_name as "givenName", file_name as "fileName", file_path as "filePath", attempt, tries
     from non_confirmed where request_id = $1`,
    [requestId],
  );
  const [row] = rows;
  return row === undefined
    ? undefined
    : {
        ...row,
        account: hexOfBytes(row.account),
        setCid: hexOfBytes(row.setCid),
        objectCid: hexOfBytes(row.objectCid),
      };
}

/** Gives pending content another path, or gives it up without one. */
export async function moveNonConfirmed(
  client: Client,
  requestId: string,
  path: ReservedPath | undefined,
): Promise<void> {
  await client.query(
    `update non_confirmed set status = $2, file_name = $3, file_path = $4, attempt = $5
     where request_id = $1 and status = 'pending'`,
    [
      requestId,
      path === undefined ? 'failed' : 'pending',
      path?.fileName ?? null,
      path?.filePath ?? null,
      path?.attempt ?? null,
    ],
  );
}

/** The content is stored at its path: what could not be stamped is now a failed record. */
export async function saveKept(client: Client, requestId: string): Promise<void> {
  await client.query("update non_confirmed set status = 'failed' where request_id = $1", [requestId]);
}

/** Postpones pending content. */
export async function postponeNonConfirmed(
  client: Client,
  requestId: string,
  tries: number,
  tryAfter: Date,
): Promise<void> {
  await client.query(
    "update non_confirmed set tries = $2, try_after = $3 where request_id = $1 and status = 'pending'",
    [requestId, tries, tryAfter],
  );
}

/** Requests with content due for a retry. */
export async function readDueNonConfirmed(
  database: Pick<Database, 'query'>,
  now: Date,
  limit: number,
): Promise<string[]> {
  const { rows } = await database.query<{ request_id: string }>({
    name: 'read-due-non-confirmed',
    text: `select request_id from non_confirmed where status = 'pending' and try_after <= $1
           order by try_after, request_id limit $2`,
    values: [now, limit],
  });
  return rows.map((row) => row.request_id);
}
