import { appendEvents, newEvent } from '@indelible/event-store';
import { bytesOfHex, type Hex, hexOfBytes, newId } from '@indelible/identifiers';
import { StampRequested } from '@indelible/messages';
import { arrayOf, type Client } from '@indelible/postgres';
import { insertStamps } from '../requests/stamp-queries.ts';
import { schema } from '../schema.ts';
import { stampStream } from '../stamp-stream.ts';
import type { CarriedItems, ReadCarriedItems } from './carried-items.ts';
import type { LaneTransaction } from './lane-transactions.ts';

/**
 * How a transaction on the chain was taken over: it or its batch was known; as another version of a known batch; as a
 * new batch; or not, since it carries nothing.
 */
export type Adopted = {
  readonly kind: 'known' | 'version' | 'batch' | 'nothing';
  /** Stamps that no message names. */
  readonly made: number;
};

/** Batches whose nonce a transaction without their items used. */
export type DeadBatches = Set<string>;

type Item = CarriedItems['objects'][number];
type BatchRow = { id: string; status: string; known: boolean; stamps: number; first: Buffer | null };

/**
 * Imports a transaction that a lane sent after the backup, as if it had been stored before its broadcast: the facts of
 * its block then confirm its stamps as usual (I1), and nothing of it is sent again (I2, I3). If no message named a
 * stamp's batch, the stamps decided first are assigned to it. A commitment without a stamp gets a new one, so that a
 * repeated request finds it.
 */
export async function adoptTransaction(
  client: Client,
  chainId: number,
  transaction: LaneTransaction,
  readItems: ReadCarriedItems,
  dead: DeadBatches,
): Promise<Adopted> {
  const { lane, nonce, hash, gasLimit } = transaction;
  const { rows } = await client.query<BatchRow>(
    `select b.id, b.status, exists (select from transactions where hash = $3 and batch_id = b.id) as known,
       cardinality(b.stamp_ids) as stamps,
       (select object_cid from stamps where id = b.stamp_ids[1]) as first
     from batches b where b.lane = $1 and b.nonce = $2`,
    [bytesOfHex(lane), nonce, bytesOfHex(hash)],
  );
  const [batch] = rows;
  if (batch !== undefined) {
    await client.query('update batches set gas_limit = $2 where id = $1 and gas_limit = 0', [batch.id, gasLimit]);
    if (batch.known && batch.status !== 'signed' && batch.status !== 'included') return { kind: 'known', made: 0 };
    const items = await readItems(hash);
    if (carriesNothing(items)) dead.add(batch.id);
    return batch.known
      ? { kind: 'known', made: await takeRest(client, batch, items, dead) }
      : addVersion(client, batch, hash, items);
  }
  const items = await readItems(hash);
  if (carriesNothing(items)) return { kind: 'nothing', made: 0 };
  const isGrant = items.granted.length > 0;
  const { stampIds, made } = await takeStamps(client, items.objects, dead);
  const batchId = newId();
  await client.query(
    `insert into batches (id, chain_id, lane, nonce, kind, status, gas_limit, stamp_ids)
     values ($1, $2, $3, $4, $5, 'signed', $6, $7::uuid[])`,
    [...[batchId, chainId, bytesOfHex(lane), nonce, isGrant ? 'grant' : 'commit', gasLimit], arrayOf.uuid(stampIds)],
  );
  await insertVersion(client, batchId, hash, { version: 1, isEmpty: false });
  await client.query(
    'update accounts set grant_batch_id = $1 where account = any($2::bytea[]) and granted_block is null',
    [batchId, arrayOf.bytea(items.granted)],
  );
  await client.query(
    `update collections c set batch_id = $1 from unnest($2::bytea[], $3::bytea[]) as s (account, cid)
     where c.account = s.account and c.cid = s.cid and c.created_block is null`,
    [batchId, arrayOf.bytea(items.sets.map(({ account }) => account)), arrayOf.bytea(items.sets.map(({ cid }) => cid))],
  );
  return { kind: 'batch', made };
}

/** A large batch is reported in parts, and the last may be unpublished. @returns how many stamps no message named */
async function takeRest(client: Client, batch: BatchRow, items: CarriedItems, dead: DeadBatches): Promise<number> {
  const rest = items.objects.slice(batch.stamps);
  if (rest.length === 0) return 0;
  const { stampIds, made } = await takeStamps(client, rest, dead);
  await client.query('update batches set stamp_ids = stamp_ids || $2::uuid[] where id = $1', [
    batch.id,
    arrayOf.uuid(stampIds),
  ]);
  return made;
}

const carriesNothing = ({ objects, sets, granted }: CarriedItems): boolean =>
  objects.length + sets.length + granted.length === 0;

/** A replacement that was signed after the backup, with the same items or none (I3). */
async function addVersion(client: Client, batch: BatchRow, hash: Hex, items: CarriedItems): Promise<Adopted> {
  const isEmpty = carriesNothing(items);
  const isOurs =
    batch.first === null || items.objects.some(({ objectCid }) => objectCid === hexOfBytes(batch.first as Buffer));
  // Not ours: the lane finds its nonce used, and settles the batch.
  if (!isEmpty && !isOurs) return { kind: 'known', made: 0 };
  const { rows } = await client.query<{ next: number }>(
    'select coalesce(max(version), 0) + 1 as next from transactions where batch_id = $1',
    [batch.id],
  );
  await insertVersion(client, batch.id, hash, { version: rows[0]?.next ?? 1, isEmpty });
  return { kind: 'version', made: 0 };
}

/**
 * Its bytes are in a block: nobody broadcasts them while it stays there, and after a reorg an empty one uses the nonce.
 */
async function insertVersion(
  client: Client,
  batchId: string,
  hash: Hex,
  { version, isEmpty }: { readonly version: number; readonly isEmpty: boolean },
): Promise<void> {
  await client.query(
    `insert into transactions (hash, batch_id, raw, fees, version, is_empty)
     values ($1, $2, null, '{"kind":"legacy","gasPrice":"0"}', $3, $4)`,
    [bytesOfHex(hash), batchId, version, isEmpty],
  );
}

/** Takes the items' stamps, in order: those that wait, or whose batch lost its nonce. */
async function takeStamps(
  client: Client,
  items: readonly Item[],
  dead: DeadBatches,
): Promise<{ readonly stampIds: readonly string[]; readonly made: number }> {
  const stampIds: string[] = [];
  let made = 0;
  for (const item of items) {
    const { rows } = await client.query<{ id: string; account: Buffer; seq: number }>(
      `select s.id, s.account, s.seq from stamps s
       where s.object_cid = $1 and s.account = $2 and s.set_cid = $3 and s.status = 'requested' and s.id <> all($4::uuid[])
         and (exists (select from waiting_stamps w where w.account = s.account and w.seq = s.seq)
           or exists (select from batches b where b.status = 'signed' and s.id = any(b.stamp_ids)
             and b.id = any($5::uuid[])))
       order by s.seq limit 1`,
      [...[item.objectCid, item.account, item.setCid].map(bytesOfHex), arrayOf.uuid(stampIds), arrayOf.uuid([...dead])],
    );
    const [stamp] = rows;
    if (stamp === undefined) {
      stampIds.push(await makeStamp(client, item));
      made++;
      continue;
    }
    await client.query('delete from waiting_stamps where account = $1 and seq = $2', [stamp.account, stamp.seq]);
    await client.query(
      `update batches set stamp_ids = array_remove(stamp_ids, $1) where status = 'signed' and $1 = any(stamp_ids)`,
      [stamp.id],
    );
    stampIds.push(stamp.id);
  }
  return { stampIds, made };
}

/** Makes a stamp for a commitment without a known request: a repeated request finds it, and it has a status. */
async function makeStamp(client: Client, item: Item): Promise<string> {
  const id = newId();
  const requestedAt = new Date().toISOString();
  const { rows } = await client.query<{ id: number; name: string }>(
    'select id, name from collections where account = $1 and cid = $2',
    [bytesOfHex(item.account), bytesOfHex(item.setCid)],
  );
  const [collection] = rows;
  await insertStamps(client, [
    {
      ...item,
      ...{ id, collectionId: collection?.id ?? null, exclusive: false, content: null, replyTo: null, requestId: null },
      ...{ traceparent: null, clientRef: null, requestedAt },
    },
  ]);
  await client.query(
    'delete from waiting_stamps w using stamps s where s.id = $1 and w.account = s.account and w.seq = s.seq',
    [id],
  );
  const data = {
    ...item,
    stampId: id,
    collectionName: collection?.name ?? null,
    content: null,
    replyTo: null,
    requestedAt,
  };
  await appendEvents(client, schema, [newEvent(StampRequested, data, { stream: stampStream(id), version: 1 })]);
  return id;
}
