import { hexOfBytes } from '@indelible/identifiers';
import { arrayOf, type Client, type Database } from '@indelible/postgres';
import {
  type Claim,
  type Confirmation,
  type FileStatus,
  type StampState,
  unknownStamp,
} from '../decisions/follow-stamp.ts';

type StateRow = {
  stamp_id: string;
  on_chain: boolean | null;
  account: Buffer;
  set_cid: Buffer;
  object_cid: Buffer;
  collection_name: string | null;
  chain_id: number;
  block_number: number;
  block_hash: Buffer | null;
  transaction_hash: Buffer | null;
  log_index: number;
  block_time: number;
  request_id: string | null;
  client_ref: string | null;
  staged_id: string | null;
  size: number;
  crc32c: number;
  file_name: string;
  status: FileStatus | null;
};

/** The known state of stamps, by id; an unknown stamp has none. */
export async function readStamps(client: Client, stampIds: readonly string[]): Promise<Map<string, StampState>> {
  const { rows } = await client.query<StateRow>({
    name: 'read-stamps',
    text: `select requested.stamp_id, s.on_chain, s.account, s.set_cid, s.object_cid, s.collection_name, s.chain_id,
             s.block_number, s.block_hash, s.transaction_hash, s.log_index, s.block_time, s.request_id, s.client_ref, c.staged_id, c.size,
             c.crc32c, c.file_name, f.status
           from unnest($1::uuid[]) as requested (stamp_id)
           left join lateral (select * from stamps where stamp_id = requested.stamp_id limit 1) as s on true
           left join lateral (select * from staged where stamp_id = requested.stamp_id limit 1) as c on true
           left join lateral (select status from files where stamp_id = requested.stamp_id limit 1) as f on true`,
    values: [arrayOf.uuid(stampIds)],
  });
  return new Map(rows.map((row) => [row.stamp_id, stateOf(row)]));
}

const stateOf = (row: StateRow): StampState => ({
  ...unknownStamp,
  file: row.status,
  claim:
    row.staged_id === null
      ? null
      : { stagedId: row.staged_id, size: row.size, crc32c: row.crc32c, fileName: row.file_name },
  confirmation:
    row.on_chain === null
      ? null
      : {
          onChain: row.on_chain,
          account: hexOfBytes(row.account),
          setCid: hexOfBytes(row.set_cid),
          objectCid: hexOfBytes(row.object_cid),
          collectionName: row.collection_name,
          chainId: row.chain_id,
          blockNumber: row.block_number,
          blockHash: row.block_hash === null ? null : hexOfBytes(row.block_hash),
          transactionHash: row.transaction_hash === null ? null : hexOfBytes(row.transaction_hash),
          logIndex: row.log_index,
          blockTime: row.block_time,
          requestId: row.request_id,
          clientRef: row.client_ref,
        },
});

type Confirmed = { readonly stampId: string; readonly confirmation: Confirmation };

const columns = `stamp_id, on_chain, account, set_cid, object_cid, collection_name, chain_id, block_number, log_index, block_time,
  block_hash, transaction_hash, request_id, client_ref, recreated`;

/**
 * Plain insert for stamps without a record: three quarters of the CPU of `on conflict`.
 * @throws a conflict (`isConflict`) when one has a record by now
 */
export const insertConfirmations = (client: Client, stamps: readonly Confirmed[]): Promise<void> =>
  writeConfirmations(client, 'insert-confirmations', '', stamps, false);

/** @param recreated for commitments that no stamp message has named */
export const saveConfirmations = (client: Client, stamps: readonly Confirmed[], recreated = false): Promise<void> =>
  writeConfirmations(
    client,
    'save-confirmations',
    `on conflict (stamp_id) do update set on_chain = excluded.on_chain, set_cid = excluded.set_cid,
       collection_name = excluded.collection_name, chain_id = excluded.chain_id, block_number = excluded.block_number,
       log_index = excluded.log_index, block_time = excluded.block_time, block_hash = excluded.block_hash,
       transaction_hash = excluded.transaction_hash, request_id = excluded.request_id, client_ref = excluded.client_ref`,
    stamps,
    recreated,
  );

async function writeConfirmations(
  client: Client,
  name: string,
  onConflict: string,
  stamps: readonly Confirmed[],
  recreated: boolean,
): Promise<void> {
  if (stamps.length === 0) return;
  const facts = stamps.map((stamp) => stamp.confirmation);
  await client.query({
    name,
    text: `insert into stamps (${columns})
           select *, $15::boolean from unnest($1::uuid[], $2::boolean[], $3::bytea[], $4::bytea[], $5::bytea[],
             $6::text[], $7::bigint[], $8::bigint[], $9::int[], $10::bigint[], $11::bytea[], $12::bytea[],
             $13::uuid[], $14::text[])
           ${onConflict}`,
    values: [
      arrayOf.uuid(stamps.map((stamp) => stamp.stampId)),
      arrayOf.boolean(facts.map((fact) => fact.onChain)),
      arrayOf.bytea(facts.map((fact) => fact.account)),
      arrayOf.bytea(facts.map((fact) => fact.setCid)),
      arrayOf.bytea(facts.map((fact) => fact.objectCid)),
      arrayOf.text(facts.map((fact) => fact.collectionName)),
      arrayOf.bigint(facts.map((fact) => fact.chainId)),
      arrayOf.bigint(facts.map((fact) => fact.blockNumber)),
      arrayOf.int(facts.map((fact) => fact.logIndex)),
      arrayOf.bigint(facts.map((fact) => fact.blockTime)),
      arrayOf.bytea(facts.map((fact) => fact.blockHash)),
      arrayOf.bytea(facts.map((fact) => fact.transactionHash)),
      arrayOf.uuid(facts.map((fact) => fact.requestId)),
      arrayOf.text(facts.map((fact) => fact.clientRef)),
      recreated,
    ],
  });
}

/** Claims staged content for stamps. @param claims.own whether it came with the stamp: then the stamp's messages say when it is due */
export async function saveClaims(
  client: Client,
  claims: readonly { readonly stampId: string; readonly claim: Claim; readonly own: boolean }[],
): Promise<void> {
  if (claims.length === 0) return;
  await client.query({
    name: 'save-claims',
    text: `insert into staged (staged_id, stamp_id, size, crc32c, file_name, own)
           select * from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[], $5::text[], $6::boolean[])`,
    values: [
      arrayOf.uuid(claims.map(({ claim }) => claim.stagedId)),
      arrayOf.uuid(claims.map(({ stampId }) => stampId)),
      arrayOf.bigint(claims.map(({ claim }) => claim.size)),
      arrayOf.bigint(claims.map(({ claim }) => claim.crc32c)),
      arrayOf.text(claims.map(({ claim }) => claim.fileName)),
      arrayOf.boolean(claims.map(({ own }) => own)),
    ],
  });
}

/**
 * Stamps not known to be on the chain for which other requests' content waits: no message reports them, since they have
 * no content of their own. In id order, after `after`.
 */
export async function readUnheard(
  database: Pick<Database, 'query'>,
  after: string,
  limit: number,
): Promise<readonly string[]> {
  const { rows } = await database.query<{ stamp_id: string }>({
    name: 'read-unheard',
    text: `select c.stamp_id from staged c
             left join lateral (
               select true as found from stamps s where s.stamp_id = c.stamp_id and s.on_chain limit 1) as s on true
             left join lateral (
               select true as found from files f where f.stamp_id = c.stamp_id and f.status <> 'failed' limit 1) as f on true
           where c.own is not true and c.stamp_id > $1 and s.found is null and f.found is null
           order by c.stamp_id limit $2`,
    values: [after, limit],
  });
  return rows.map((row) => row.stamp_id);
}

/** Drops the claims of stamps: their content is stored, or unclaimed. */
export async function dropClaims(client: Client, stampIds: readonly string[]): Promise<void> {
  if (stampIds.length > 0) await client.query('delete from staged where stamp_id = any($1::uuid[])', [stampIds]);
}

/** Which of these staged ids are claimed. */
export async function claimedOf(client: Pick<Client, 'query'>, stagedIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await client.query<{ staged_id: string }>(
    'select staged_id from staged where staged_id = any($1::uuid[])',
    [stagedIds],
  );
  return new Set(rows.map((row) => row.staged_id));
}
