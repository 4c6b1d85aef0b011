import { bytesOfHex, type Hex, hexOfBytes } from '@indelible/identifiers';
import type { FoundStamp, StampOfReceipt } from '@indelible/messages';
import { arrayOf, type Database } from '@indelible/postgres';
import { matchLogs } from '../decisions/match-logs.ts';

/** Receipts of one object in one set: where its commitments are, as read by the caller. */
export type ReceiptsOfObject = {
  readonly account: Hex;
  readonly setCid: Hex;
  readonly objectCid: Hex;
  /** Per transaction, the object's first logs, without a gap. */
  readonly places: readonly { readonly transactionHash: Hex; readonly logIndex: number }[];
};

/**
 * The stamps of the receipts, in order; null for a commitment that is no stamp, such as one that its account made
 * itself. The stamp may be recorded in another block than the reader has by now: a commitment in a transaction of ours
 * is never reported as no stamp. A transaction is stored before it is broadcast (I3), so all are known in whatever
 * block, read or not: a transaction's logs are in batch order.
 */
export async function findStampsOfReceipts(
  database: Pick<Database, 'query'>,
  { places, ...object }: ReceiptsOfObject,
): Promise<readonly FoundStamp[]> {
  const { rows: ours } = await database.query<{ hash: Buffer; batch_id: string }>({
    name: 'batches-of-transactions',
    text: 'select hash, batch_id from transactions where hash = any($1::bytea[])',
    values: [arrayOf.bytea([...new Set(places.map(({ transactionHash }) => transactionHash))])],
  });
  const carried = await readCarried(database, object, [...new Set(ours.map((row) => row.batch_id))]);
  const items = ours.flatMap((row) =>
    (carried.get(row.batch_id) ?? []).map((stamp) => ({ ...object, transactionHash: hexOfBytes(row.hash), stamp })),
  );
  const logs = places.map((place, i) => ({ ...object, ...place, i })).toSorted((a, b) => a.logIndex - b.logIndex);
  const hashes = new Set(ours.map((row) => hexOfBytes(row.hash)));
  const found = places.map(({ transactionHash }): FoundStamp => (hashes.has(transactionHash) ? 'not-recorded' : null));
  for (const { log, item } of matchLogs(logs, items)) found[log.i] = item.stamp;
  return found;
}

type Row = Omit<StampOfReceipt, 'isRecorded'> & { readonly batchId: string | null };

/** The stamps of an object in these batches, in batch order: a block comes in parts, from the first log on. */
async function readCarried(
  database: Pick<Database, 'query'>,
  { account, setCid, objectCid }: Omit<ReceiptsOfObject, 'places'>,
  batchIds: readonly string[],
): Promise<ReadonlyMap<string, readonly StampOfReceipt[]>> {
  const carried = new Map<string, StampOfReceipt[]>(batchIds.map((id) => [id, []]));
  if (batchIds.length === 0) return carried;
  const { rows } = await database.query<Row>({
    name: 'stamps-of-object-in-batches',
    text: `select s.id as "stampId", s.batch_id as "batchId",
             (select name from collections where id = s.collection_id limit 1) as "collectionName",
             s.request_id as "requestId", s.client_ref as "clientRef"
           from stamps s
           where s.object_cid = $1 and s.account = $2 and s.set_cid = $3 and s.status <> 'failed'
             and (s.batch_id = any($4::uuid[]) or s.status = 'requested')
           order by s.log_index`,
    values: [bytesOfHex(objectCid), bytesOfHex(account), bytesOfHex(setCid), arrayOf.uuid(batchIds)],
  });
  const waiting = new Map<string, StampOfReceipt>();
  for (const { batchId, ...stamp } of rows)
    if (batchId === null) waiting.set(stamp.stampId, { ...stamp, isRecorded: false });
    else carried.get(batchId)?.push({ ...stamp, isRecorded: true });
  for (const { id, stampIds } of await readBatches(database, batchIds, [...waiting.keys()]))
    for (const stampId of stampIds) {
      const stamp = waiting.get(stampId);
      if (stamp !== undefined) carried.get(id)?.push(stamp);
    }
  return carried;
}

/** The batches that carry any of the stamps. */
async function readBatches(
  database: Pick<Database, 'query'>,
  batchIds: readonly string[],
  stampIds: readonly string[],
): Promise<readonly { readonly id: string; readonly stampIds: readonly string[] }[]> {
  if (stampIds.length === 0) return [];
  const { rows } = await database.query<{ id: string; stampIds: string[] }>({
    name: 'batches-of-waiting-stamps',
    text: `select id, stamp_ids as "stampIds" from batches where id = any($1::uuid[]) and stamp_ids && $2::uuid[]`,
    values: [arrayOf.uuid(batchIds), arrayOf.uuid(stampIds)],
  });
  return rows;
}
