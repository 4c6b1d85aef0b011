import { isOfSet, pairsQuery, type SetOfOwner } from './pairs.ts';
import type { MatchingSession } from './sessions.ts';

/** How the objects submitted and a set's receipts compare. */
export type Tally = {
  /** Total of the set. */
  readonly receipts: number;
  /** The earliest receipt's time; null without receipts. */
  readonly firstTime: number | null;
  /** Distinct (CID, instant) pairs submitted, and how many of them the set holds. */
  readonly objectPairs: number;
  readonly sharedPairs: number;
  /** Objects matched one to one with a receipt. */
  readonly matched: number;
};

/** Receipts per object above which looking up single objects is faster than reading the whole set. */
const lookUpFrom = 8;

/** Whether there are few enough receipts without an object to read all together. */
export const areReadTogether = (receipts: number, objects: number): boolean => receipts <= objects * lookUpFrom;

/** The least number of receipts that is not read together with the objects: no need to count further. */
export const moreThanReadTogether = (objects: number): number => objects * lookUpFrom + 1;

/** Counts exactly. @param objects how many were submitted */
export async function tallySet(session: MatchingSession, set: SetOfOwner, objects: number): Promise<Tally> {
  const held = await countReceipts(session, set);
  const shared = await aggregate<Pick<Tally, 'objectPairs' | 'sharedPairs' | 'matched'>>(
    session,
    `select count(*) filter (where sent > 0) as "objectPairs",
       count(*) filter (where sent > 0 and held > 0) as "sharedPairs",
       coalesce(sum(least(sent, held)), 0)::bigint as matched
     from (${areReadTogether(held.receipts, objects) ? readTogether(set) : lookedUp(set)}) as pairs`,
  );
  return { ...held, ...shared };
}

/** A set's receipts, and the time of the earliest. */
export const countReceipts = (
  session: MatchingSession,
  set: SetOfOwner,
): Promise<Pick<Tally, 'receipts' | 'firstTime'>> =>
  aggregate(
    session,
    `select count(*) as receipts, min(block_time) as "firstTime" from commitments where ${isOfSet(set)}`,
  );

/** Each submitted pair is one index scan of one partition. */
const lookedUp = (set: SetOfOwner): string => `
  with submitted_pairs as materialized (${pairsQuery})
  select p.times as sent, found.held
  from submitted_pairs p
  cross join lateral (
    select count(*) as held from commitments
    where object_cid = p.cid and block_time = p.instant and ${isOfSet(set)}
  ) as found`;

/** One pass over both sides, with one hash table of pairs instead of one a side and a join. */
const readTogether = (set: SetOfOwner): string => `
  select cid, instant, sum(sent) as sent, sum(held) as held
  from (
    select cid, instant, 1 as sent, 0 as held from pg_temp.submitted
    union all
    select object_cid, block_time, 0, 1 from commitments where ${isOfSet(set)}
  ) as both_sides
  group by cid, instant`;

/** Of an aggregate, which always has one row. */
async function aggregate<Row extends object>(session: MatchingSession, text: string): Promise<Row> {
  const { rows } = await session.query<Row>(text);
  const [row] = rows;
  if (row === undefined) throw new Error('an aggregate without a row');
  return row;
}
