import { bytesOfHex } from '@indelible/identifiers';
import { type IncomingMessage, isMessage } from '@indelible/kafka';
import {
  type Receipt,
  StampConfirmed,
  StampConfirmedV2,
  StampFailed,
  StampFailedV1,
  StampReverted,
  StampRevertedV2,
  StampsFinalized,
  StampsSubmitted,
  StampsSubmittedV1,
  StampsSubmittedV2,
  StampsSubmittedV3,
} from '@indelible/messages';
import { arrayOf, type Client } from '@indelible/postgres';
import { batchStream } from '../batch-stream.ts';
import { stampStream } from '../stamp-stream.ts';
import { appendImported, nextVersion, type OfStream, unknownEvents } from './known-events.ts';

/**
 * The submissions of batches. They are imported before outcomes, which are in other partitions. Of the first two
 * versions nothing is imported: the chain shows what their batches carried.
 */
export const submissionEvents = [StampsSubmitted, StampsSubmittedV3, StampsSubmittedV2, StampsSubmittedV1];

/** Outcomes of stamps after their decision. A confirmation of version 2 names no batch: the chain shows it instead. */
export const outcomeEvents = [
  ...[StampConfirmed, StampReverted, StampFailed, StampsFinalized],
  ...[StampConfirmedV2, StampRevertedV2, StampFailedV1],
];

/**
 * Imports published events of batches and stamps that the database lacks, under the same ids, so that nothing is
 * reported twice. Whether a block is still on the chain is checked later. @returns how many events
 */
export async function importOutcomes(client: Client, messages: readonly IncomingMessage[]): Promise<number> {
  let imported = 0;
  const unknown = await unknownEvents(client, messages.flatMap(ofStream));
  for (const one of await withoutRevertedConfirmations(client, unknown)) {
    const version = await applyOutcome(client, one);
    if (version === undefined) continue;
    await appendImported(client, one, version);
    imported++;
  }
  return imported;
}

/**
 * A confirmation may share its row but have been published alone: then its id is unknown. A reversion has its own row
 * and names the receipt it took back: an earlier recorded confirmation of that receipt is known. A later one is new,
 * even when the same block came back.
 */
async function withoutRevertedConfirmations(client: Client, events: readonly OfStream[]): Promise<readonly OfStream[]> {
  const streams = events.flatMap(({ message, stream }) => (isMessage(message, StampConfirmed) ? [stream] : []));
  if (streams.length === 0) return events;
  const { rows } = await client.query<{ stream: string; former: Receipt; at: Date }>(
    `select stream, data->'formerReceipt' as former, recorded_at as at from events
     where stream = any($1::text[]) and type = $2 order by version`,
    [arrayOf.text(streams), StampReverted.type],
  );
  const revertedAt = new Map(rows.map(({ stream, former, at }) => [placeKey(stream, former), at.getTime()]));
  return events.filter(({ message, stream }) => {
    if (!isMessage(message, StampConfirmed)) return true;
    const at = revertedAt.get(placeKey(stream, message.data.receipt));
    return at === undefined || Date.parse(message.time) > at;
  });
}

const placeKey = (stream: string, { blockHash, logIndex }: Receipt): string => `${stream} ${blockHash} ${logIndex}`;

function ofStream(message: IncomingMessage): OfStream[] {
  if (
    isMessage(message, StampsSubmitted) ||
    isMessage(message, StampsSubmittedV3) ||
    isMessage(message, StampsFinalized)
  )
    return [{ message, stream: batchStream(message.data.batchId) }];
  if (isMessage(message, StampConfirmed) || isReversion(message) || isFailure(message))
    return [{ message, stream: stampStream(message.data.stampId) }];
  return [];
}

/** @returns the event's version in its stream; undefined when its subject is unknown */
async function applyOutcome(client: Client, { message, stream }: OfStream): Promise<number | undefined> {
  if (isMessage(message, StampsSubmitted) || isMessage(message, StampsSubmittedV3)) {
    await submit(client, message.data);
    return nextVersion(client, stream);
  }
  if (isMessage(message, StampsFinalized)) {
    const { batchId, blockNumber, blockHash, stampIds } = message.data;
    // If a batch was not fully reported as submitted, the chain shows what else it carried.
    const { rowCount } = await client.query(
      `update batches set status = case when cardinality(stamp_ids) < $4 then 'included' else 'finalized' end,
         block_number = $2, block_hash = $3
       where id = $1 and status in ('signed', 'included', 'finalized')`,
      [batchId, blockNumber, bytesOfHex(blockHash), stampIds.length],
    );
    return rowCount === 1 ? nextVersion(client, stream) : undefined;
  }
  if (isMessage(message, StampConfirmed)) {
    const { stampId, batchId, receipt, clientRef, requestId } = message.data;
    return versionOf(
      client,
      `update stamps set status = 'confirmed', version = version + 1, batch_id = $2, transaction_hash = $3, log_index = $4,
         block_number = $5, block_hash = $6, block_time = $7, client_ref = coalesce(client_ref, $8),
         request_id = coalesce(request_id, $9)
       where id = $1 and status in ('requested', 'included') and exists (select from batches where id = $2) returning version`,
      [
        ...[stampId, batchId, bytesOfHex(receipt.transactionHash), receipt.logIndex, receipt.blockNumber],
        ...[bytesOfHex(receipt.blockHash), receipt.blockTime, clientRef, requestId],
      ],
    );
  }
  if (isReversion(message)) return revert(client, message.data.stampId);
  if (isFailure(message))
    return versionOf(
      client,
      `update stamps set status = 'failed', version = version + 1 where id = $1 and status = 'requested' returning version`,
      [message.data.stampId],
    );
  return undefined;
}

const isReversion = (message: IncomingMessage): message is IncomingMessage<typeof StampRevertedV2> =>
  isMessage(message, StampReverted) || isMessage(message, StampRevertedV2);

const isFailure = (message: IncomingMessage): message is IncomingMessage<typeof StampFailedV1> =>
  isMessage(message, StampFailed) || isMessage(message, StampFailedV1);

/** The stamp's batch is on its way again too: its items must not be signed into another meanwhile (I2). */
async function revert(client: Client, stampId: string): Promise<number | undefined> {
  await client.query(
    `update batches b set status = 'signed', block_number = null, block_hash = null, nonce_used_block = null,
       nonce_used_hash = null, taken_back_at = clock_timestamp()
     from stamps s where s.id = $1 and s.status = 'confirmed' and b.id = s.batch_id and b.status in ('included', 'finalized')`,
    [stampId],
  );
  return versionOf(
    client,
    `update stamps set status = 'requested', exclusive = false, version = version + 1, batch_id = null, batch_index = null,
       transaction_hash = null, log_index = null, block_number = null, block_hash = null, block_time = null
     where id = $1 and status = 'confirmed' returning version`,
    [stampId],
  );
}

/** Stores the batch as before, except the signed bytes and their fees, which no message has. */
async function submit(client: Client, data: StampsSubmittedV3): Promise<void> {
  const stampIds = arrayOf.uuid(data.stamps.map(({ stampId }) => stampId));
  await client.query(
    `insert into batches (id, chain_id, lane, nonce, kind, status, gas_limit, stamp_ids, signed_at)
     values ($1, $2, $3, $4, 'commit', 'signed', 0, $5::uuid[], $6)
     on conflict (id) do update set stamp_ids = batches.stamp_ids || excluded.stamp_ids`,
    [data.batchId, data.chainId, bytesOfHex(data.lane), data.nonce, stampIds, data.submittedAt],
  );
  await client.query(
    `insert into transactions (hash, batch_id, raw, fees) values ($1, $2, null, '{"kind":"legacy","gasPrice":"0"}')
     on conflict do nothing`,
    [bytesOfHex(data.transactionHash), data.batchId],
  );
  await client.query(
    `update stamps s set client_ref = coalesce(s.client_ref, n.client_ref),
       resubmissions = greatest(s.resubmissions, n.attempt - 1)
     from unnest($1::uuid[], $2::text[], $3::int[]) as n (id, client_ref, attempt) where s.id = n.id`,
    [
      stampIds,
      arrayOf.text(data.stamps.map(({ clientRef }) => clientRef)),
      arrayOf.int(data.stamps.map(({ attempt }) => attempt)),
    ],
  );
}

async function versionOf(client: Client, sql: string, values: readonly unknown[]): Promise<number | undefined> {
  const { rows } = await client.query<{ version: number }>(sql, [...values]);
  return rows[0]?.version;
}
