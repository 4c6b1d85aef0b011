import { createHash } from 'node:crypto';
import pg from 'pg';

/** 2024-01-01T00:00:00Z; each object has a second of its own. */
const firstSecond = 1_704_067_200;

/** What the read model holds after seeding, known without asking it. */
export const seededCid = (i: number): string => `0x${createHash('sha256').update(String(i)).digest('hex')}`;
export const seededSecond = (i: number): number => firstSecond + i;
export const seededTimestamp = (i: number): string =>
  `${new Date(seededSecond(i) * 1_000).toISOString().slice(0, 19)}+00:00`;

/** Commitments by number, n from 0: SQL says what the nth is. */
export type SeededCommitments = {
  readonly count: number;
  readonly perBlock: number;
  readonly chainId: number;
  /** Of n: the number of its object. */
  readonly object: string;
  /** Of n: the number of what it belongs to, `g` for the two that follow. */
  readonly group: string;
  /** Of g, 32 bytes. */
  readonly set: string;
  /** Of g, 20 bytes. */
  readonly user: string;
};

/** Writes commitments straight into verification's tables: as many as a chain would take days for. */
export async function seedCommitments(databaseUrl: string, seeds: SeededCommitments): Promise<void> {
  await withVerification(databaseUrl, async (client) => {
    await client.query(
      `insert into commitments (object_cid, user_address, chain_id, block_number, log_index, set_cid, block_time,
         transaction_hash, block_hash)
       select sha256(i::text::bytea), ${seeds.user}, $1::bigint, n / $2::int, n % $2::int, ${seeds.set}, $3::bigint + i,
         sha256(('t' || n / $2::int)::bytea), sha256(('b' || n / $2::int)::bytea)
       from (
         select n, ${seeds.object} as i, ${seeds.group} as g from generate_series(0, $4::int - 1) as n
       ) as numbered`,
      [seeds.chainId, seeds.perBlock, firstSecond, seeds.count],
    );
    await client.query('vacuum analyze commitments');
  });
}

/** A collection with a receipt of each of the first objects, all of one block. */
export async function seedCollection(
  databaseUrl: string,
  owner: string,
  chainId: number,
  collection: { readonly name: string; readonly receipts: number },
): Promise<void> {
  const account = Buffer.from(owner.slice(2), 'hex');
  const set = createHash('sha256').update(collection.name).digest();
  await withVerification(databaseUrl, (client) =>
    client.query('insert into collections values ($1, $2, $3, lower($3), false)', [account, set, collection.name]),
  );
  await seedCommitments(databaseUrl, {
    ...{ chainId, count: collection.receipts, perBlock: collection.receipts, object: 'n', group: '0' },
    ...{ set: `'\\x${set.toString('hex')}'::bytea`, user: `'\\x${account.toString('hex')}'::bytea` },
  });
}

async function withVerification(databaseUrl: string, use: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('set search_path to verification');
    await use(client);
  } finally {
    await client.end();
  }
}
