import { hexOfBytes } from '@indelible/identifiers';
import { type CopiedRows, createRowSource } from './copy-rows.ts';
import { inSecond, isOfSet, literalOf, pairsQuery, type SetOfOwner } from './pairs.ts';
import type { MatchingSession } from './sessions.ts';
import { areReadTogether, countReceipts } from './tally.ts';

/** The properties of an upload's objects that matter for matching. */
export type UploadedObjects = {
  readonly count: number;
  /** Positions of objects that may repeat another's CID and instant; no others do. Undefined if many. */
  readonly repeating: readonly number[] | undefined;
};

/** Objects and a set's receipts, matched one to one: among equal ones in the order sent and the order recorded. */
export type Match = {
  readonly matched: number;
  readonly unmatchedObjects: number;
  readonly unmatchedReceipts: number;
  /**
   * Rows of the three lists, one after the other: receipts by time and position on the chain, objects in the order
   * sent. Each has the fields transaction hash, CID, block time and chain id (int8), timestamp as sent; an object only
   * the CID and the last. Read them to the end before the session runs anything else.
   */
  readonly rows: () => AsyncGenerator<CopiedRows>;
};

/** The requested lists; another one is empty, and costs nothing. */
export type WantedLists = { readonly unmatchedReceipts: boolean };

/**
 * Matches the objects with a set's receipts, exactly.
 * @param receipts of the set, as far as counted
 */
export async function matchSet(
  session: MatchingSession,
  set: SetOfOwner & { readonly receipts: number },
  objects: UploadedObjects,
  wanted: WantedLists,
): Promise<Match> {
  if (!areReadTogether(set.receipts, objects.count)) return await matchFewObjects(session, set, wanted);
  const pairs = await readRepeating(session, objects);
  const match = pairs && (await open(session, matchOfFewEqual(set, objects.count, pairs, wanted)));
  return match ?? (await open(session, matchOfEqual(set, wanted))) ?? neverUnanswered();
}

/** The match with a set that holds at least 80 % of the pairs; undefined when this needs another count. */
export async function matchMostOf(
  session: MatchingSession,
  set: SetOfOwner,
  objects: UploadedObjects,
  wanted: WantedLists,
): Promise<Match | undefined> {
  const pairs = await readRepeating(session, objects);
  // A pair matched more than once is a repetition; and there are no more pairs than objects.
  const most = `(matched - ${objects.repeating?.length}) * 5 >= ${objects.count}::bigint * 4`;
  return pairs && (await open(session, matchOfFewEqual(set, objects.count, pairs, wanted, most)));
}

/**
 * For a set with many more receipts than objects: looks up each pair, and reads the other receipts in index order, so
 * that it never sorts or hashes all of them, however many there are.
 */
async function matchFewObjects(session: MatchingSession, set: SetOfOwner, wanted: WantedLists): Promise<Match> {
  const { receipts } = wanted.unmatchedReceipts ? await countReceipts(session, set) : { receipts: 0 };
  const match = await open(
    session,
    answerOf(`select * from (${receiptsOfPairs(set)}) as held`, numberedObjects, 'true', objectsOnly),
  );
  if (match === undefined) neverUnanswered();
  if (!wanted.unmatchedReceipts) return match;
  return {
    ...match,
    unmatchedReceipts: receipts - match.matched,
    async *rows() {
      yield* match.rows();
      yield* session.read(otherReceipts(set));
    },
  };
}

/** Literals `(cid, instant)` of the pairs that objects may repeat; undefined when there are many. */
async function readRepeating(
  session: MatchingSession,
  { repeating }: UploadedObjects,
): Promise<readonly string[] | undefined> {
  if (repeating === undefined || repeating.length === 0) return repeating && [];
  const { rows } = await session.query<{ cid: Buffer; instant: number }>(
    'select distinct cid, instant from pg_temp.submitted where position = any($1::int[])',
    [repeating],
  );
  return rows.map(({ cid, instant }) => `(${literalOf(hexOfBytes(cid))}, ${instant})`);
}

/** Every object, in the order sent, as rows of a match. */
export const readAllObjects = (session: MatchingSession): AsyncGenerator<CopiedRows> =>
  session.read(`select ''::bytea, cid, 0::bigint, 0::bigint, sent from pg_temp.submitted order by position`);

/** Reads the first row, of counts. */
async function open(session: MatchingSession, query: string): Promise<Match | undefined> {
  const rows = createRowSource(session.read(query));
  const { answered, ...counts } = readCounts(await rows.next());
  if (answered) return { ...counts, rows: () => rows.remaining() };
  await rows.end();
  return undefined;
}

type Counts = Omit<Match, 'rows'> & { readonly answered: boolean };

function readCounts({ bytes, start, end }: CopiedRows): Counts {
  const fieldsBefore = 2 + 4 + 4 + (4 + 8) + (4 + 8);
  const text = start + fieldsBefore + 4;
  return JSON.parse(bytes.toString('utf8', text, Math.min(end, text + bytes.readInt32BE(text - 4))));
}

function neverUnanswered(): never {
  throw new Error('a match that was not answered');
}

/**
 * Numbers only objects that may be equal, and receipts equal to them. Other objects are unique; so if each object is in
 * exactly one list, the receipts that match are unique too. Only then there is a result.
 */
function matchOfFewEqual(
  set: SetOfOwner,
  objects: number,
  pairs: readonly string[],
  wanted: WantedLists,
  requested = 'true',
): string {
  const whole = `matched + "unmatchedObjects" = ${objects} and ${requested}`;
  const receipts = `from commitments where ${isOfSet(set)}`;
  const sent = 'from pg_temp.submitted where true';
  const sides = sidesOf(wanted);
  if (pairs.length === 0) return answerOf(`select *, 1 as nth ${receipts}`, `select *, 1 as nth ${sent}`, whole, sides);
  const few = `(values ${pairs.join(',')})`;
  return answerOf(
    `select *, 1 as nth ${receipts} and (object_cid, block_time) not in ${few}
     union all
     select *, ${nthReceipt} ${receipts} and (object_cid, block_time) in ${few}`,
    `select *, 1 as nth ${sent} and (cid, instant) not in ${few}
     union all
     select *, ${nthObject} ${sent} and (cid, instant) in ${few}`,
    whole,
    sides,
  );
}

/** Numbers equal objects and equal receipts; the nth matches the nth. */
const matchOfEqual = (set: SetOfOwner, wanted: WantedLists): string =>
  answerOf(`select *, ${nthReceipt} from commitments where ${isOfSet(set)}`, numberedObjects, 'true', sidesOf(wanted));

const nthObject = 'row_number() over (partition by cid, instant order by position) as nth';
const nthReceipt = `row_number() over (partition by object_cid, block_time order by ${inSecond}, chain_id) as nth`;

const numberedObjects = `select *, ${nthObject} from pg_temp.submitted`;

/** The set's receipts of the submitted pairs, numbered. */
const receiptsOfPairs = (set: SetOfOwner): string => `
  select c.*, ${nthReceipt}
  from (select distinct cid, instant from pg_temp.submitted) as p
  cross join lateral (
    select * from commitments where object_cid = p.cid and block_time = p.instant and ${isOfSet(set)}
  ) as c`;

/** All receipts of the set but those that match: of equal ones the first, as many as there are objects. */
const otherReceipts = (set: SetOfOwner): string => `
  with pairs as materialized (${pairsQuery}),
  matched as materialized (
    select c.chain_id, c.block_number, c.log_index
    from pairs p
    cross join lateral (
      select chain_id, block_number, log_index from commitments
      where object_cid = p.cid and block_time = p.instant and ${isOfSet(set)}
      order by ${inSecond}, chain_id limit p.times
    ) as c
  )
  select transaction_hash, object_cid, block_time, chain_id, ''::text
  from commitments
  where ${isOfSet(set)} and (chain_id, block_number, log_index) not in (select chain_id, block_number, log_index from matched)
  order by block_time, ${inSecond}, chain_id`;

/** Which unpaired rows a join of receipts and objects keeps: those of both sides, or the objects' only. */
const [bothSides, objectsOnly] = ['full', 'right'] as const;
const sidesOf = (wanted: WantedLists): 'full' | 'right' => (wanted.unmatchedReceipts ? bothSides : objectsOnly);

/** More than any block time, which has 38 bits. */
const list = '(1::bigint << 40)';

/**
 * One join of both sides gives all three lists, one sort puts them one after the other. What they have is counted on the way, and comes
 * first; if it is not the requested one, nothing follows.
 */
const answerOf = (receipts: string, objects: string, requested: string, sides: 'full' | 'right'): string => `
  with sides as materialized (
    select case when o.cid is null then 2 * ${list} + r.block_time when r.object_cid is null then ${list} + o.position
        else r.block_time end as place,
      ${inSecond} as in_second, r.chain_id, r.transaction_hash, coalesce(r.object_cid, o.cid) as cid,
      case when r.object_cid is null then o.sent else '' end as sent
    from (${receipts}) as r
    ${sides} join (${objects}) as o on o.cid = r.object_cid and o.instant = r.block_time and o.nth = r.nth
  ),
  counts as materialized (
    select *, ${requested} as answered
    from (
      select count(*) filter (where place < ${list}) as matched,
        count(*) filter (where place >= ${list} and place < 2 * ${list}) as "unmatchedObjects",
        count(*) filter (where place >= 2 * ${list}) as "unmatchedReceipts"
      from sides
    ) as counted
  )
  select transaction_hash, cid, place & (${list} - 1) as block_time, chain_id, sent
  from (
    select -1::bigint as place, 0::bigint as in_second, 0::bigint as chain_id, ''::bytea as transaction_hash, ''::bytea as cid,
      row_to_json(counts)::text as sent
    from counts
    union all
    select place, in_second, coalesce(chain_id, 0), coalesce(transaction_hash, ''), cid, sent
    from sides where (select answered from counts)
  ) as rows
  order by place, in_second, chain_id`;
