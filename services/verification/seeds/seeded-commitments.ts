import { createHash } from 'node:crypto';
import type { Hex } from '@indelible/identifiers';
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

/**
 * Every second commitment is of one set, whose objects are requested; the others are of ten sets of some ten
 * thousand, of hundreds of some thousand, and of none (when there are two million). Each thousandth repeats its neighbour's
 * object and second in another set.
 */
export const mixedSets = {
  ...{ chainId: 31_337, perBlock: 500 },
  object: 'case when n % 1000 = 999 then n - 1 else n end',
  group: `case when n % 2 = 0 then -1 when n % 10 in (1, 3) then n % 20 when n % 10 in (5, 7) then 1000 + n % 400
    when n % 200 = 9 then 999999 else 10000 + n % 100 * 1000 + n / 10 % 190 end`,
  set: `case when g = 999999 then decode(repeat('00', 32), 'hex') else sha256(('set' || g)::bytea) end`,
  user: `substr(sha256(('user' || case when g < 0 then 'big' else (g % 500)::text end)::bytea), 1, 20)`,
};

/** The number of the ith object of the set that has half of the commitments. */
export const objectOfLargeSet = (i: number): number => 2 * i;

/** The statement that writes a commitment of each stamp of a table of them: n, cid, hash, block_hash, block, seconds; without a set. */
export const grownCommitments = (account: Hex, chainId: number, facts: string): string =>
  `insert into verification.commitments (object_cid, user_address, chain_id, block_number, log_index, set_cid,
     block_time, transaction_hash, block_hash)
   select cid, '\\x${account.slice(2).toLowerCase()}'::bytea, ${chainId}, block, n, decode(repeat('00', 32), 'hex'), seconds,
     hash, block_hash from ${facts}`;
