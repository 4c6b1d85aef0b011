import { hexOfBytes } from '@indelible/identifiers';
import { isOfSet, literalOf, pairsQuery, type SetOfOwner } from './pairs.ts';
import type { MatchingSession } from './sessions.ts';

/** How the objects submitted and a set's receipts compare. */
export type Tally = {
  readonly objects: number;
  readonly receipts: number;
  /** Distinct (CID, instant) pairs submitted, those of them that the set holds, and the receipts of these. */
  readonly objectPairs: number;
  readonly sharedPairs: number;
  readonly sharedReceipts: number;
  /** Objects matched one to one with a receipt. */
  readonly matched: number;
  /** The earliest receipt's time; null without receipts. */
  readonly firstTime: number | null;
  /**
   * Literals `(cid, instant)` of all pairs that do not stand exactly once on each side, when they are few: only of these
   * anything is left over.
   */
  readonly irregular?: readonly string[];
};

/** Receipts for each object from which on looking up the objects one by one is faster than reading the whole set. */
const lookUpFrom = 8;

const maxIrregular = 2_000;

/** Counts exactly. @param objects how many were submitted */
export async function tallySet(session: MatchingSession, set: SetOfOwner, objects: number): Promise<Tally> {
  const held = await aggregate<Pick<Tally, 'receipts' | 'firstTime'>>(
    session,
    `select count(*) as receipts, min(block_time) as "firstTime" from commitments where ${isOfSet(set)}`,
  );
  if (held.receipts <= objects * lookUpFrom) return { ...held, objects, ...(await compareAll(session, set, objects)) };
  const shared = await aggregate<Comparison>(
    session,
    `select count(*) as "objectPairs", count(*) filter (where held > 0) as "sharedPairs",
       coalesce(sum(held), 0)::bigint as "sharedReceipts", coalesce(sum(least(sent, held)), 0)::bigint as matched
     from (${lookedUp(set)}) as pairs`,
  );
  return { ...held, objects, ...shared };
}

type Comparison = Omit<Tally, 'objects' | 'receipts' | 'firstTime'>;

/** All pairs of both sides but those that stand once on each are read, and the rest follows from how many objects are. */
async function compareAll(session: MatchingSession, set: SetOfOwner, objects: number): Promise<Comparison> {
  const found = { objects: 0, pairs: 0, objectPairs: 0, sharedPairs: 0, sharedReceipts: 0, matched: 0 };
  const irregular: string[] = [];
  for await (const { bytes, start, end } of session.read(readTogether(set)))
    for (let at = start; at < end; at += pairRow.bytes) {
      const sent = Number(bytes.readBigInt64BE(at + pairRow.sent));
      const held = Number(bytes.readBigInt64BE(at + pairRow.held));
      found.pairs++;
      found.objects += sent;
      found.objectPairs += sent > 0 ? 1 : 0;
      found.sharedPairs += sent > 0 && held > 0 ? 1 : 0;
      found.sharedReceipts += sent > 0 ? held : 0;
      found.matched += Math.min(sent, held);
      if (found.pairs <= maxIrregular)
        irregular.push(
          `(${literalOf(hexOfBytes(bytes.subarray(at + pairRow.cid, at + pairRow.cid + 32)))},` +
            `${bytes.readBigInt64BE(at + pairRow.instant)})`,
        );
    }
  const regular = objects - found.objects;
  return {
    objectPairs: regular + found.objectPairs,
    sharedPairs: regular + found.sharedPairs,
    sharedReceipts: regular + found.sharedReceipts,
    matched: regular + found.matched,
    ...(found.pairs <= maxIrregular ? { irregular } : {}),
  };
}

/** Where the fields of `readTogether`'s rows stand: a count, then a length before each; a CID has 32 bytes. */
const pairRow = { cid: 6, instant: 42, sent: 54, held: 66, bytes: 74 };

/** Each pair submitted is one index scan of one partition. */
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
  group by cid, instant
  having sum(sent) <> 1 or sum(held) <> 1`;

/** Of an aggregate, which always has one row. */
async function aggregate<Row extends object>(session: MatchingSession, text: string): Promise<Row> {
  const { rows } = await session.query<Row>(text);
  const [row] = rows;
  if (row === undefined) throw new Error('an aggregate without a row');
  return row;
}
