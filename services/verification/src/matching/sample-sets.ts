import { randomBytes } from 'node:crypto';
import { bytesOfHex, type Hex, hexOfBytes } from '@indelible/identifiers';
import type { Client } from '@indelible/postgres';
import { type SetOfOwner, zeroSet } from './pairs.ts';

export type SampleSettings = {
  /** More rows than this are sampled. */
  readonly aboveRows: number;
  /** Approximate size of a sample without repeated rows, and the minimum, if there are so many. */
  readonly pairs: number;
  readonly minPairs: number;
};

/**
 * Sets qualify with half of the sample, though they need 80 % of the pairs. By Hoeffding's bound such a set misses half
 * of n sampled pairs with a probability below exp(-0.223 n): 10^-29 for the smallest sample.
 */
export const defaultSampleSettings: SampleSettings = { aboveRows: 5_000, pairs: 1_000, minPairs: 300 };

/** Each is counted exactly. */
const maxSuspects = 20;

/** A set that may hold 80 % of the pairs; private ones only of the caller. */
export type Suspect = SetOfOwner & { readonly name: string | null; readonly own: boolean };

/**
 * The sets that hold at least half of a random sample of the distinct pairs submitted: each that holds 80 % of all
 * pairs is among them, unless more than twenty hold more of the sample.
 */
export async function findSuspects(
  session: Client,
  question: { readonly caller: Hex; readonly owner: Hex | null },
  rows: number,
  settings: SampleSettings,
): Promise<Suspect[]> {
  const sample = await drawSample(session, rows, settings);
  return await findSetsOf(session, question, sample);
}

type Pair = { readonly cid: Buffer; readonly instant: number };

/**
 * Pairs are drawn by their hash under a random key per request, so a client cannot choose which are drawn, and repeated
 * pairs are drawn no more often. If few rows are distinct, more of them are drawn, and finally all.
 */
async function drawSample(session: Client, rows: number, settings: SampleSettings): Promise<Pair[]> {
  for (let fraction = settings.pairs / rows; ; fraction *= 8) {
    const all = fraction >= 1;
    const { rows: sample } = await session.query<Pair>(
      `select cid, instant from pg_temp.submitted
       ${all ? '' : 'where hashint8extended(instant, hashbyteaextended(cid, $1::bigint)) < $2::bigint'}
       group by cid, instant`,
      all ? [] : [randomBytes(8).readBigInt64BE(), hashBelow(fraction)].map(String),
    );
    if (all || sample.length >= settings.minPairs) return sample;
  }
}

/** The bound below which this fraction of all 64-bit hashes is. */
const hashBelow = (fraction: number): bigint => (BigInt(Math.floor(fraction * 2 ** 32)) << 32n) - 2n ** 63n;

/** Each pair is one index scan of one partition: the time grows with the sample, not the table. */
async function findSetsOf(
  session: Client,
  { caller, owner }: { readonly caller: Hex; readonly owner: Hex | null },
  sample: readonly Pair[],
): Promise<Suspect[]> {
  const { rows } = await session.query<{ account: Buffer; set_cid: Buffer; name: string | null; own: boolean }>(
    `select s.user_address as account, s.set_cid, k.name, s.user_address = $3::bytea as own
     from (
       select held.user_address, held.set_cid, count(*) as hits
       from unnest($1::bytea[], $2::bigint[]) as p (cid, instant)
       cross join lateral (
         select distinct c.user_address, c.set_cid
         from commitments c
         where c.object_cid = p.cid and c.block_time = p.instant and c.set_cid <> ${zeroSet}
           ${owner === null ? '' : 'and c.user_address = $4::bytea'}
       ) as held
       group by held.user_address, held.set_cid
       having count(*) * 2 >= cardinality($1::bytea[])
     ) as s
     left join collections k on k.account = s.user_address and k.cid = s.set_cid
     where s.user_address = $3::bytea or coalesce(k.is_public, true)
     order by own desc, s.hits desc, s.user_address, s.set_cid
     limit ${maxSuspects}`,
    [
      sample.map((pair) => pair.cid),
      sample.map((pair) => pair.instant),
      bytesOfHex(caller),
      ...(owner === null ? [] : [bytesOfHex(owner)]),
    ],
  );
  return rows.map((row) => ({
    account: hexOfBytes(row.account),
    setCid: hexOfBytes(row.set_cid),
    name: row.name,
    own: row.own,
  }));
}
