import { type Hex, hexOfBytes } from '@indelible/identifiers';
import type { Client } from '@indelible/postgres';
import type { WaitingCollection } from '../decisions/compose-batch.ts';
import { granted, leavingOut, maxAccounts, revertedCollections, unrecorded } from './waiting-conditions.ts';

/** Collections that wait for their first batch, in turns of accounts as stamps are, locked. */
export async function claimCollections(
  client: Client,
  limit: number,
  leftOut: readonly Hex[] = [],
): Promise<readonly WaitingCollection[]> {
  const others = leavingOut(leftOut, 'hops.account', 2);
  const { rows } = await client.query<{ id: number; account: Buffer; cid: Buffer }>({
    name: `claim-collections${others.suffix}`,
    text: `with recursive hops (account, id) as (
             (select account, id from collections where ${unrecorded}
              order by account, id limit 1)
             union all
             select next.account, next.id from hops
             cross join lateral (
               select account, id from collections
               where ${unrecorded} and account > hops.account
               order by account, id limit 1) as next
           ), waiting as (
             select hops.account from hops cross join lateral (
               select from accounts a where a.account = hops.account and ${granted} ${others.condition} limit 1) as granted
             order by hops.id limit ${maxAccounts}
           ), turns as (
             select one.place, one.id, row_number() over (partition by one.account order by one.id) as turn
             from waiting cross join lateral (
               select ctid as place, account, id from collections
               where ${unrecorded} and account = waiting.account
               order by id limit $1::int) as one
           ), chosen as (select place, id, turn from turns order by turn, id limit $1::int)
           select c.id, c.account, c.cid from collections c
           where c.ctid = any(array(select place from chosen)) and c.created_block is null and c.batch_id is null
           for update of c skip locked`,
    values: [limit, ...others.values],
  });
  const turns = new Map<Hex, number>();
  return rows
    .sort((a, b) => a.id - b.id)
    .map((row) => {
      const account = hexOfBytes(row.account);
      const turn = (turns.get(account) ?? 0) + 1;
      turns.set(account, turn);
      return { turn, collection: { collectionId: row.id, account, cid: hexOfBytes(row.cid) } };
    })
    .sort((a, b) => a.turn - b.turn)
    .map(({ collection }) => collection);
}

/**
 * Claims and locks one collection that was in a reverted batch: alone, so that it fails no other. As with stamps, one
 * that was on the chain before is claimed even for a left-out account (I4).
 */
export async function claimRevertedCollection(
  client: Client,
  leftOut: readonly Hex[] = [],
): Promise<{ readonly collections: readonly WaitingCollection[]; readonly revertedBatches: number }> {
  const others = leavingOut(leftOut, 'c.account', 1, 'c.version > 1');
  const { rows } = await client.query<{ id: number; account: Buffer; cid: Buffer; reverted_batches: number }>({
    name: `claim-reverted-collection${others.suffix}`,
    text: `select c.id, c.account, c.cid, c.reverted_batches from collections c cross join lateral (
             select from accounts a where a.account = c.account and ${granted} limit 1) as granted
           where ${revertedCollections} ${others.condition}
           order by c.reverted_batches, c.id limit 1 for update of c skip locked`,
    values: others.values,
  });
  return {
    revertedBatches: rows[0]?.reverted_batches ?? 0,
    collections: rows.map((row) => ({
      collectionId: row.id,
      account: hexOfBytes(row.account),
      cid: hexOfBytes(row.cid),
    })),
  };
}
