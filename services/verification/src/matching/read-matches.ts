import { isOfSet, pairsQuery, type SetOfOwner } from './pairs.ts';
import type { MatchingSession } from './sessions.ts';
import type { Tally } from './tally.ts';

/** Fields of a receipt's row: transaction hash, object CID, and as int8 block time, chain id, and order in its second. */
const receiptFields = `transaction_hash, object_cid, block_time, chain_id, ${placeInSecond()}`;
const inOrder = `order by block_time, ${placeInSecond()}, chain_id, block_number, log_index`;

/**
 * Block and log index as one number, since a sort by one is twice as fast: their order wherever a block has fewer than
 * 2^20 logs. The columns themselves follow, so that the order is total and each query's the same.
 */
function placeInSecond(): string {
  return '(block_number << 20 | log_index)';
}

/** All receipts of the set by time and place on the chain. */
export const readReceipts = (session: MatchingSession, set: SetOfOwner) =>
  session.read(`select ${receiptFields} from commitments where ${isOfSet(set)} ${inOrder}`);

/**
 * The receipts that match an object, or the others, in the same order. One to one: of the receipts of a CID and instant
 * as many match as such objects were submitted, the earliest first.
 */
export function readReceiptsThat(session: MatchingSession, match: boolean, set: SetOfOwner, tally: Tally) {
  const held = `${isOfSet(set)} ${match ? '' : amongIrregular(tally, 'object_cid', 'block_time')}`;
  if (areSingle(tally))
    return session.read(
      `select ${receiptFields} from commitments c
       where ${held} and ${match ? '' : 'not'} exists (
         select from pg_temp.submitted o where o.cid = c.object_cid and o.instant = c.block_time
       ) ${inOrder}`,
    );
  return session.read(
    `with pairs as (${pairsQuery})
     select ${receiptFields}
     from (
       select *, row_number() over (partition by object_cid, block_time order by ${placeInSecond()}, chain_id,
         block_number, log_index) as nth
       from commitments where ${held}
     ) as r
     left join pairs p on p.cid = r.object_cid and p.instant = r.block_time
     where r.nth ${match ? '<=' : '>'} coalesce(p.times, 0) ${inOrder}`,
  );
}

/** The objects that no receipt of the set matches, in the order sent: of equal ones the first sent match. */
export function readUnmatchedObjects(session: MatchingSession, set: SetOfOwner, tally: Tally) {
  const sent = `true ${amongIrregular(tally, 'cid', 'instant')}`;
  const held = `${isOfSet(set)} ${amongIrregular(tally, 'object_cid', 'block_time')}`;
  if (areSingle(tally))
    return session.read(
      `select o.cid, o.sent from pg_temp.submitted o
       where ${sent} and not exists (
         select from commitments where ${held} and object_cid = o.cid and block_time = o.instant
       ) order by o.position`,
    );
  return session.read(
    `select o.cid, o.sent
     from (
       select *, row_number() over (partition by cid, instant order by position) as nth
       from pg_temp.submitted where ${sent}
     ) as o
     left join (
       select object_cid, block_time, count(*) as times
       from commitments where ${held}
       group by object_cid, block_time
     ) as held on held.object_cid = o.cid and held.block_time = o.instant
     where o.nth > coalesce(held.times, 0)
     order by o.position`,
  );
}

/** Narrows rows to the pairs of which something may be left over, when these are known. */
function amongIrregular({ irregular }: Tally, cid: string, instant: string): string {
  if (irregular === undefined) return '';
  return irregular.length === 0 ? 'and false' : `and (${cid}, ${instant}) in (values ${irregular.join(',')})`;
}

/** Every object, in the order sent. */
export const readAllObjects = (session: MatchingSession) =>
  session.read('select cid, sent from pg_temp.submitted order by position');

/** Whether no pair of both sides stands twice on either: then nothing needs counting to match one to one. */
const areSingle = (tally: Tally): boolean =>
  tally.objects === tally.objectPairs && tally.sharedReceipts === tally.sharedPairs;
