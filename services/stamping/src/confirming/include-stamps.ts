import { bytesOfHex, type Hex, hexOfBytes, zeroCid } from '@indelible/identifiers';
import type { BlockAppended, ChainLog } from '@indelible/messages';
import { arrayOf, type Client } from '@indelible/postgres';
import { matchLogs } from '../decisions/match-logs.ts';
import type { ReceiptRow } from '../receipt-row.ts';
import type { Since } from './chain-outcome.ts';
import { type ConfirmedRow, type ConfirmedStamp, toldColumns, toldOf, withCollection } from './confirmed-stamps.ts';

/** A stamp of a batch that is in a block, in the batch's order. */
type ItemRow = Omit<ConfirmedRow, keyof ReceiptRow> & {
  hash: Buffer;
  place: number;
  since_signed: number;
  account: Buffer;
  set_cid: Buffer;
  object_cid: Buffer;
};

export type Included = {
  /** How many stamps the block has. */
  readonly matched: number;
  readonly confirmed: readonly ConfirmedStamp[];
  /** Since the batches of its stamps were signed. */
  readonly since: readonly Since[];
  /** Collections of these stamps whose AddSet was not seen: their sets stood on the chain, or the contract had refused them. */
  readonly standing: readonly { readonly collectionId: number; readonly transactionHash: Hex }[];
};

const nothingIncluded: Included = { matched: 0, confirmed: [], since: [], standing: [] };

/**
 * Notes which stamps the block's logs are: a log belongs to the stamp of the same user, set and object in the batch of
 * its transaction, one to one, in order. With depth 1 they are confirmed by that.
 *
 * They are matched here, not by a join: of a batch's array Postgres knows no length, and can choose to compare each log
 * with each stamp. The limits of one keep it from reading all stamps or all collections to join some.
 */
export async function includeStamps(client: Client, block: BlockAppended, confirmed: boolean): Promise<Included> {
  const logs = block.logs
    .filter((log) => log.kind === 'object')
    .map((log) => ({
      transactionHash: log.transactionHash,
      logIndex: log.logIndex,
      account: log.user,
      setCid: log.setCid ?? zeroCid,
      objectCid: objectCidOf(log),
    }));
  if (logs.length === 0) return nothingIncluded;
  const { rows: items } = await client.query<ItemRow>({
    name: 'items-of-block',
    text: `
      select t.hash, b.id as batch_id, item.place::int as place,
        greatest(extract(epoch from statement_timestamp() - b.signed_at), 0)::float8 as since_signed, s.account, s.set_cid, s.object_cid, ${toldColumns}
      from transactions t
        cross join lateral (select * from batches where id = t.batch_id and status = 'included' limit 1) as b
        cross join unnest(b.stamp_ids) with ordinality as item (stamp_id, place)
        cross join lateral (select * from stamps where id = item.stamp_id and status = 'requested' limit 1) as s
        ${withCollection}
      where t.hash = any($1::bytea[])
      order by b.id, item.place`,
    values: [arrayOf.bytea([...new Set(logs.map((log) => log.transactionHash))])],
  });
  const pairs = matchLogs(
    logs,
    items.map((row) => ({
      row,
      transactionHash: hexOfBytes(row.hash),
      account: hexOfBytes(row.account),
      setCid: hexOfBytes(row.set_cid),
      objectCid: hexOfBytes(row.object_cid),
    })),
  );
  if (pairs.length === 0) return nothingIncluded;
  const { rows: noted } = await client.query<{ id: string }>({
    name: 'include-stamps',
    text: `
      update stamps s set status = $5, version = s.version + $6, batch_id = l.batch_id, batch_index = l.place - 1,
        transaction_hash = l.hash, log_index = l.log_index, block_number = $7, block_hash = $8, block_time = $9
      from (
        -- Taken for a thousand, where arrays are for ten: then the two are joined by a hash.
        select ($1::uuid[])[n] as id, ($2::uuid[])[n] as batch_id, ($3::int[])[n] as place, ($4::int[])[n] as log_index,
          ($10::bytea[])[n] as hash
        from generate_series(1, cardinality($1::uuid[])) as n) as l
      where s.id = l.id and s.id = any($1::uuid[]) and s.status = 'requested'
      returning s.id`,
    values: [
      arrayOf.uuid(pairs.map(({ item }) => item.row.id)),
      arrayOf.uuid(pairs.map(({ item }) => item.row.batch_id)),
      arrayOf.int(pairs.map(({ item }) => item.row.place)),
      arrayOf.int(pairs.map(({ log }) => log.logIndex)),
      confirmed ? 'confirmed' : 'included',
      confirmed ? 1 : 0,
      block.number,
      bytesOfHex(block.hash),
      block.time,
      arrayOf.bytea(pairs.map(({ log }) => log.transactionHash)),
    ],
  });
  const standing = new Map<number, { collectionId: number; transactionHash: Hex }>();
  for (const { log, item } of pairs) {
    const { collection_id: collectionId, collection_block: block } = item.row;
    if (collectionId !== null && block === null)
      standing.set(collectionId, { collectionId, transactionHash: log.transactionHash });
  }
  const since = sinceSigned(pairs.map(({ item }) => item.row));
  const included = { matched: noted.length, since, standing: [...standing.values()] };
  if (!confirmed) return { ...included, confirmed: [] };
  const notedIds = new Set(noted.map(({ id }) => id));
  return {
    ...included,
    confirmed: pairs
      .filter(({ item }) => notedIds.has(item.row.id))
      .map(({ log, item }) => ({
        ...toldOf(item.row),
        version: item.row.version + 1,
        receipt: {
          transactionHash: log.transactionHash,
          logIndex: log.logIndex,
          blockNumber: block.number,
          blockHash: block.hash,
          blockTime: block.time,
          chainId: block.chainId,
          account: log.account,
          setCid: log.setCid,
          objectCid: log.objectCid,
        },
      })),
  };
}

/** One figure a batch. */
function sinceSigned(rows: readonly ItemRow[]): readonly Since[] {
  const byBatch = new Map<string, { seconds: number; stamps: number }>();
  for (const { batch_id: batch, since_signed: seconds } of rows) {
    const known = byBatch.get(batch);
    if (known === undefined) byBatch.set(batch, { seconds, stamps: 1 });
    else known.stamps++;
  }
  return [...byBatch.values()];
}

function objectCidOf(log: ChainLog): Hex {
  if (log.objectCid === undefined) throw new Error(`log ${log.logIndex} of ${log.transactionHash} names no object`);
  return log.objectCid;
}
