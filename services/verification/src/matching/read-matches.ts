import { bytesOfHex } from '@indelible/identifiers';
import type { Client } from '@indelible/postgres';
import type { Candidate } from './find-candidates.ts';
import { pairsQuery } from './pairs.ts';

/** A receipt of the candidate: hex digits without `0x`, seconds since 1970. */
export type MatchReceipt = {
  readonly matched: boolean;
  readonly transactionHash: string;
  readonly objectCid: string;
  readonly blockTime: number;
  readonly chainId: number;
};
/** A submitted object: hex digits without `0x`, the timestamp as it was sent. */
export type UnmatchedObject = { readonly cid: string; readonly sent: string };

const rowsPerPage = 2_000;

/**
 * The candidate's receipts, the matched before the others, each by time and place on the chain. One to one: of the
 * receipts of a CID and instant as many match as such objects were submitted, the earliest first.
 */
export const readReceipts = (session: Client, candidate: Candidate): AsyncGenerator<MatchReceipt[]> =>
  readPages<MatchReceipt>(
    session,
    'receipts',
    `with pairs as (${pairsQuery})
     select r.place <= coalesce(p.times, 0) as matched, encode(r.transaction_hash, 'hex') as "transactionHash",
       encode(r.object_cid, 'hex') as "objectCid", r.block_time as "blockTime", r.chain_id as "chainId"
     from (
       select *, row_number() over (partition by object_cid, block_time order by chain_id, block_number, log_index)
         as place
       from commitments where set_cid = $1::bytea and user_address = $2::bytea
     ) as r
     left join pairs p on p.cid = r.object_cid and p.instant = r.block_time
     order by matched desc, r.block_time, r.chain_id, r.block_number, r.log_index`,
    [bytesOfHex(candidate.setCid), bytesOfHex(candidate.account)],
  );

/** The objects that no receipt of the candidate matches, in the order sent: of equal ones the first sent match. */
export const readUnmatchedObjects = (session: Client, candidate: Candidate): AsyncGenerator<UnmatchedObject[]> =>
  readPages<UnmatchedObject>(
    session,
    'objects',
    `select encode(o.cid, 'hex') as cid, o.sent
     from (
       select *, row_number() over (partition by cid, instant order by position) as place from pg_temp.submitted
     ) as o
     left join (
       select object_cid, block_time, count(*) as times
       from commitments where set_cid = $1::bytea and user_address = $2::bytea
       group by object_cid, block_time
     ) as held on held.object_cid = o.cid and held.block_time = o.instant
     where o.place > coalesce(held.times, 0)
     order by o.position`,
    [bytesOfHex(candidate.setCid), bytesOfHex(candidate.account)],
  );

/** Every object, in the order sent. */
export const readAllObjects = (session: Client): AsyncGenerator<UnmatchedObject[]> =>
  readPages<UnmatchedObject>(
    session,
    'objects',
    `select encode(cid, 'hex') as cid, sent from pg_temp.submitted order by position`,
    [],
  );

/** Pages of a cursor in the session's transaction: what was not asked for is not held. */
async function* readPages<Row extends object>(
  session: Client,
  cursor: 'receipts' | 'objects',
  query: string,
  values: readonly unknown[],
): AsyncGenerator<Row[]> {
  await session.query(`declare ${cursor} no scroll cursor for ${query}`, [...values]);
  for (;;) {
    const { rows } = await session.query<Row>(`fetch ${rowsPerPage} from ${cursor}`);
    if (rows.length > 0) yield rows;
    if (rows.length < rowsPerPage) break;
  }
  await session.query(`close ${cursor}`);
}
