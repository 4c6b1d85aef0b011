import { bytesOfHex, type Hex } from '@indelible/identifiers';
import type { Receipt } from '@indelible/messages';
import type { Client, Database } from '@indelible/postgres';
import type { FileStatus } from '../decisions/follow-stamp.ts';
import type { CommitmentRecord } from '../decisions/place-upload.ts';

export type Identity = { readonly account: Hex; readonly setCid: Hex; readonly objectCid: Hex };

/** Until the transaction ends, uploads of the same content into the same set wait: one of them stores. */
export async function lockIdentity(client: Client, { account, setCid, objectCid }: Identity): Promise<void> {
  await client.query("select pg_advisory_xact_lock(hashtextextended('storage.uploads:' || $1, 0))", [
    `${account}:${setCid}:${objectCid}`,
  ]);
}

/** The known commitments of an object in a set, and whether each has a file. */
export async function readCommitments(
  database: Pick<Database, 'query'> | Client,
  identity: Identity,
): Promise<CommitmentRecord[]> {
  const { rows } = await database.query<CommitmentRecord>({
    name: 'read-commitments',
    text: `select s.stamp_id as "stampId", s.recreated, s.chain_id as "chainId", s.block_number as "blockNumber",
             '0x' || encode(s.transaction_hash, 'hex') as "transactionHash", s.log_index as "logIndex", f.status as file
           from stamps s
             left join lateral (select status from files where stamp_id = s.stamp_id limit 1) as f on true
           where s.object_cid = $1 and s.account = $2 and s.set_cid = $3`,
    values: [bytesOfHex(identity.objectCid), bytesOfHex(identity.account), bytesOfHex(identity.setCid)],
  });
  return rows;
}

/** Deletes claims for stamps that a reorg took back. @returns the staged content that they claimed */
export async function replaceClaims(client: Client, stampIds: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ staged_id: string }>(
    'delete from staged where stamp_id = any($1::uuid[]) returning staged_id',
    [stampIds],
  );
  return rows.map((row) => row.staged_id);
}

export type DecidedUpload = {
  readonly requestId: string;
  readonly outcome: 'created' | 'existing';
  readonly stagedId: string;
  /** Stamps with its files, the earliest commitment first. */
  readonly stampIds: readonly string[];
  readonly receipts: readonly Receipt[];
  readonly replyTo: string | null;
};

export async function saveUpload(client: Client, upload: DecidedUpload, decidedAt: Date): Promise<void> {
  await client.query(
    `insert into uploads (request_id, outcome, staged_id, stamp_ids, receipts, reply_to, decided_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      upload.requestId,
      upload.outcome,
      upload.stagedId,
      upload.stampIds,
      JSON.stringify(upload.receipts),
      upload.replyTo,
      decidedAt,
    ],
  );
}

export type UploadState = DecidedUpload & {
  /** Of each stamp id, in the same order. */
  readonly files: readonly {
    readonly status: FileStatus | null;
    readonly fileName: string | null;
    readonly filePath: string | null;
    /** Null of a stamp without a record. */
    readonly recreated: boolean | null;
  }[];
};

/** An upload and its files' states; undefined while undecided. */
export async function readUpload(
  database: Pick<Database, 'query'>,
  requestId: string,
): Promise<UploadState | undefined> {
  const { rows } = await database.query<UploadState>({
    name: 'read-upload',
    text: `select u.request_id as "requestId", u.outcome, u.staged_id as "stagedId", u.stamp_ids as "stampIds",
             u.receipts, u.reply_to as "replyTo",
             (select json_agg(json_build_object('status', f.status, 'fileName', f.file_name, 'filePath', f.file_path,
                'recreated', s.recreated) order by n)
              from unnest(u.stamp_ids) with ordinality as of (stamp_id, n)
              left join lateral (select * from files where stamp_id = of.stamp_id limit 1) as f on true
              left join lateral (select recreated from stamps where stamp_id = of.stamp_id limit 1) as s on true) as files
           from uploads u where u.request_id = $1`,
    values: [requestId],
  });
  return rows[0];
}

/** Deletes up to `limit` uploads decided before `before`: their files stay, only the request's own result goes. */
export async function pruneUploads(database: Pick<Database, 'query'>, before: Date, limit: number): Promise<number> {
  const { rowCount } = await database.query(
    `delete from uploads where request_id = any(array(
       select request_id from uploads where decided_at < $1 order by decided_at limit $2))`,
    [before, limit],
  );
  return rowCount ?? 0;
}
