import { bytesOfHex, type Hex, hexOfBytes } from '@indelible/identifiers';
import type { Client } from '@indelible/postgres';
import { type Match, matchMostOf, type UploadedObjects, type WantedLists } from './match-set.ts';
import { inSecond, pairsQuery, type SetOfOwner, zeroSet } from './pairs.ts';
import type { Question } from './read-upload.ts';
import { defaultSampleSettings, findSuspects, type SampleSettings, type Suspect } from './sample-sets.ts';
import type { MatchingSession } from './sessions.ts';
import { areReadTogether, countReceipts, moreThanReadTogether, type Tally, tallySet } from './tally.ts';

/** `name` is null when no account registered the set: another tool wrote it on the chain. */
export type Candidate = SetOfOwner & {
  readonly name: string | null;
  /** Receipt count, no further than is needed. */
  readonly receipts: number;
  /** When it was matched already, which only one alone is. */
  readonly match?: Match;
};

const maxCandidates = 5;
/** How many sets with an equal share are compared: those with the earliest first matching receipt. */
const maxCompared = 20;
/** Limit of counting a set's receipts for comparison. */
const maxCounted = 2 ** 20;

const wantedOf = ({ unmatchedReceipts = true }: Question): WantedLists => ({ unmatchedReceipts });

/** The sets to match the objects with, best first; none when nothing fits the question. */
export async function findCandidates(
  session: MatchingSession,
  question: Question,
  objects: UploadedObjects,
  sampling: SampleSettings = defaultSampleSettings,
): Promise<Candidate[]> {
  const { caller, owner, folded } = question;
  if (folded === null)
    return objects.count > sampling.aboveRows
      ? await inferSetsOfMany(session, question, objects, sampling)
      : await inferSets(session, caller, owner);
  const named = await findNamed(session, { caller, owner: owner ?? caller, folded }, objects.count);
  if (named.length > 0 || owner !== null) return named;
  return await rankNamed(session, caller, folded);
}

type Row = { account: Buffer; set_cid: Buffer; name: string | null; receipts: number };

const candidatesOf = (rows: readonly Row[]): Candidate[] =>
  rows.map((row) => ({
    account: hexOfBytes(row.account),
    setCid: hexOfBytes(row.set_cid),
    name: row.name,
    receipts: row.receipts,
  }));

/** The owner's collection of that name; others see it only if public. */
async function findNamed(
  session: Client,
  { caller, owner, folded }: { readonly caller: Hex; readonly owner: Hex; readonly folded: string },
  objects: number,
): Promise<Candidate[]> {
  const { rows } = await session.query<Row>(
    `select k.account, k.cid as set_cid, k.name, held.receipts
     from collections k ${heldReceipts('k.account', 'k.cid', moreThanReadTogether(objects))}
     where k.account = $1::bytea and k.folded_name = $2 and (k.is_public or k.account = $3::bytea)
     order by k.cid limit 1`,
    [bytesOfHex(owner), folded, bytesOfHex(caller)],
  );
  return candidatesOf(rows);
}

/**
 * Any owner's public collections of a name, whatever their share of the objects. Those that hold some come first; of
 * the others only as many are read as can be returned, since there may be any number of them.
 */
async function rankNamed(session: Client, caller: Hex, folded: string): Promise<Candidate[]> {
  const { rows } = await session.query<Row>(
    `with pairs as materialized (${pairsQuery}),
     hits as (
       select c.user_address, c.set_cid, least(count(*), p.times) as matched, min(${inSecond}) as first_place
       from pairs p join commitments c on c.object_cid = p.cid and c.block_time = p.instant
       where exists (
         select from collections k
         where k.account = c.user_address and k.cid = c.set_cid and k.folded_name = $1 and k.is_public and k.account <> $2::bytea
       )
       group by p.cid, p.instant, p.times, c.user_address, c.set_cid
     ),
     ${sharesOfHits},
     chosen as (
       select s.user_address as account, s.set_cid, k.name, s.pairs, s.matched, s.first_place
       from shares s join collections k on k.account = s.user_address and k.cid = s.set_cid
       union all
       (select k.account, k.cid, k.name, 0, 0, null
        from collections k
        where k.folded_name = $1 and k.is_public and k.account <> $2::bytea
          and not exists (select from shares s where s.user_address = k.account and s.set_cid = k.cid)
        order by k.account limit ${maxCandidates})
     )
     ${bestOfChosen}`,
    [folded, bytesOfHex(caller)],
  );
  return candidatesOf(rows);
}

/**
 * The sets that hold at least 80 % of the distinct pairs, which means all of fewer than five. The caller's own exclude
 * others. Of other owners' sets only those not private: a set without a known collection is on a public chain anyway.
 */
async function inferSets(session: Client, caller: Hex, owner: Hex | null): Promise<Candidate[]> {
  const { rows } = await session.query<Row>(
    `with pairs as materialized (${pairsQuery}),
     hits as (
       select c.user_address, c.set_cid, least(count(*), p.times) as matched, min(${inSecond}) as first_place
       from pairs p join commitments c on c.object_cid = p.cid and c.block_time = p.instant
       where c.set_cid <> ${zeroSet} ${owner === null ? '' : 'and c.user_address = $2::bytea'}
       group by p.cid, p.instant, p.times, c.user_address, c.set_cid
     ),
     ${sharesOfHits},
     reaching as (select * from shares where pairs * 5 >= (select count(*) from pairs) * 4),
     eligible as (
       select s.user_address as account, s.set_cid, k.name, s.pairs, s.matched, s.first_place, s.user_address = $1::bytea as own
       from reaching s left join collections k on k.account = s.user_address and k.cid = s.set_cid
       where s.user_address = $1::bytea or coalesce(k.is_public, true)
     ),
     chosen as (select * from eligible where own = (select bool_or(own) from eligible))
     ${bestOfChosen}`,
    [bytesOfHex(caller), ...(owner === null ? [] : [bytesOfHex(owner)])],
  );
  return candidatesOf(rows);
}

/** The same for many objects: a sample shows which sets are worth counting. */
async function inferSetsOfMany(
  session: MatchingSession,
  question: Question,
  objects: UploadedObjects,
  sampling: SampleSettings,
): Promise<Candidate[]> {
  const suspects = await findSuspects(session, question, objects.count, sampling);
  const own = await chooseReaching(
    session,
    suspects.filter((suspect) => suspect.own),
    objects,
    wantedOf(question),
  );
  if (own.length > 0) return own;
  return await chooseReaching(
    session,
    suspects.filter((suspect) => !suspect.own),
    objects,
    wantedOf(question),
  );
}

/** Those that hold 80 % of the pairs: a single one is matched at once, which proves it; several are all counted. */
async function chooseReaching(
  session: MatchingSession,
  suspects: readonly Suspect[],
  objects: UploadedObjects,
  wanted: WantedLists,
): Promise<Candidate[]> {
  const [first, ...others] = suspects;
  if (first !== undefined && others.length === 0) {
    const { account, setCid, name } = first;
    const { receipts } = await countReceipts(session, first);
    const match = areReadTogether(receipts, objects.count)
      ? await matchMostOf(session, first, objects, wanted)
      : undefined;
    if (match !== undefined) return [{ account, setCid, name, receipts, match }];
  }
  const reaching = await countReaching(session, suspects, objects.count);
  return reaching
    .sort(byRank)
    .slice(0, maxCandidates)
    .map(({ tally, ...candidate }) => candidate);
}

type Counted = Omit<Candidate, 'match'> & { readonly tally: Tally };

async function countReaching(session: MatchingSession, suspects: readonly Suspect[], rows: number): Promise<Counted[]> {
  const reaching: Counted[] = [];
  for (const { account, setCid, name } of suspects) {
    const tally = await tallySet(session, { account, setCid }, rows);
    if (tally.sharedPairs * 5 >= tally.objectPairs * 4)
      reaching.push({ account, setCid, name, receipts: tally.receipts, tally });
  }
  return reaching;
}

/** As `bestOfChosen` has it. */
const byRank = (a: Counted, b: Counted): number =>
  b.tally.sharedPairs - a.tally.sharedPairs ||
  a.tally.receipts - a.tally.matched - (b.tally.receipts - b.tally.matched) ||
  (a.tally.firstTime ?? 0) - (b.tally.firstTime ?? 0) ||
  (a.account + a.setCid < b.account + b.setCid ? -1 : 1);

/** Counts up to `most`, earliest first. */
const heldReceipts = (account: string, setCid: string, most: number): string => `
  cross join lateral (
    select count(*) as receipts, min(counted.block_time) as first_time
    from (
      select c.block_time from commitments c where c.set_cid = ${setCid} and c.user_address = ${account}
      order by c.block_time limit ${most}
    ) as counted
  ) as held`;

const sharesOfHits = `
  shares as (
    select user_address, set_cid, count(*) as pairs, sum(matched) as matched, min(first_place) as first_place
    from hits group by 1, 2
  )`;

/** Counts receipts only of sets whose share can still be among the best. */
const bestOfChosen = `
  , ranked as (
    select *, rank() over (order by pairs desc) as place, row_number() over (order by pairs desc, first_place, account, set_cid) as nth
    from chosen
  )
  select r.account, r.set_cid, r.name, held.receipts
  from ranked r ${heldReceipts('r.account', 'r.set_cid', maxCounted)}
  where r.place <= ${maxCandidates} and r.nth <= ${maxCompared}
  order by r.pairs desc, held.receipts - r.matched, held.first_time nulls last, r.account, r.set_cid
  limit ${maxCandidates}`;
