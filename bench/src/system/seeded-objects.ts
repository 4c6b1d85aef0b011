import { createHash } from 'node:crypto';
import pg from 'pg';

/** 2024-01-01T00:00:00Z; each object has a second of its own. */
const firstSecond = 1_704_067_200;

/** What the read model holds after seeding, known without asking it. */
export const seededCid = (i: number): string => `0x${createHash('sha256').update(String(i)).digest('hex')}`;
export const seededTimestamp = (i: number): string =>
  `${new Date((firstSecond + i) * 1_000).toISOString().slice(0, 19)}+00:00`;

/** Writes a collection and its commitments straight into verification's tables: as many as a chain would take days for. */
export async function seedCollection(
  databaseUrl: string,
  owner: string,
  chainId: number,
  collection: { readonly name: string; readonly receipts: number },
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('set search_path to verification');
    const account = Buffer.from(owner.slice(2), 'hex');
    const setCid = createHash('sha256').update(collection.name).digest();
    await client.query('insert into collections values ($1, $2, $3, lower($3), false)', [
      account,
      setCid,
      collection.name,
    ]);
    await client.query(
      `insert into commitments (object_cid, user_address, chain_id, block_number, log_index, set_cid, block_time,
         transaction_hash, block_hash)
       select sha256(i::text::bytea), $1::bytea, $2::bigint, 0, i, $3::bytea, $4::bigint + i, sha256('t'), sha256('b')
       from generate_series(0, $5::int - 1) as i`,
      [account, chainId, setCid, firstSecond, collection.receipts],
    );
    await client.query('analyze commitments');
  } finally {
    await client.end();
  }
}
