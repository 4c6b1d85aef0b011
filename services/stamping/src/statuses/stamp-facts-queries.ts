import { hexOfBytes } from '@indelible/identifiers';
import type { Refusal, StampFacts } from '@indelible/messages';
import { arrayOf, type Database } from '@indelible/postgres';
import { type StatusFacts, stampStatus } from '../decisions/stamp-status.ts';
import { type ReceiptRow, receiptColumns, receiptOf } from '../receipt-row.ts';
import { stampStream } from '../stamp-stream.ts';

type StampRow = ReceiptRow &
  Omit<StatusFacts, 'state'> & {
    readonly id: string;
    readonly status: StatusFacts['state'];
    readonly requested_at: Date;
    readonly refusal: Refusal | null;
    readonly hasContent: boolean;
    readonly wasConfirmed: boolean;
  };

/**
 * Stamps by id, from a single statement. A stamp's version grows with each confirmation, revert and failure. The reason
 * of a failure is only in its last event, which is kept forever.
 */
export async function readStampFacts(
  database: Pick<Database, 'query'>,
  chainId: number,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StampFacts>> {
  if (ids.length === 0) return new Map();
  const { rows } = await database.query<StampRow>({
    name: 'read-stamp-facts',
    text: `select s.id, s.status, s.requested_at, s.content is not null as "hasContent",
             s.version - (s.status = 'failed')::int > 1 as "wasConfirmed",
             s.version > 1 or s.resubmissions > 0 or s.reverted_batches > 0 as "wasSubmitted",
             s.status = 'requested' and (
               select true from waiting_stamps w where w.account = s.account and w.seq = s.seq limit 1) is not null as waits,
             coalesce((select b.status = 'finalized' from batches b where b.id = s.batch_id limit 1), false) as "isFinal",
             case when s.status = 'failed' then (
               select e.data -> 'refusal' from events e
               where e.stream = '${stampStream('')}' || s.id and e.version = s.version limit 1) end as refusal,
             ${receiptColumns('s')}
           from unnest($1::uuid[]) as requested (id)
           cross join lateral (select * from stamps where id = requested.id limit 1) as s`,
    values: [arrayOf.uuid(ids)],
  });
  return new Map(
    rows.map((row) => [
      row.id,
      {
        id: row.id,
        account: hexOfBytes(row.account),
        objectCid: hexOfBytes(row.object_cid),
        setCid: hexOfBytes(row.set_cid),
        requestedAt: row.requested_at.toISOString(),
        status: stampStatus({ ...row, state: row.status }),
        // Below the configured depth nobody may see a receipt (I1).
        receipt: row.status === 'confirmed' ? receiptOf(row, chainId) : null,
        refusal: row.refusal,
        hasContent: row.hasContent,
        wasConfirmed: row.wasConfirmed,
      },
    ]),
  );
}

/** The outcome of a request that made no stamp: the stamp that it joined or repeated, or its refusal. */
export type RequestOutcome = { readonly joined: string } | { readonly refused: StampFacts };

type RequestRow = {
  readonly id: string;
  readonly type: 'StampRequestJoined' | 'StampRequestRefused';
  readonly data: { readonly stampId: string } & Pick<StampFacts, 'account' | 'objectCid' | 'setCid' | 'requestedAt'> & {
      readonly refusal: Refusal;
    };
};

/** Requests that made no stamp, by id: each is an event in its own stream, until it is deleted (forget-requests.ts). */
export async function readRequestOutcomes(
  database: Pick<Database, 'query'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RequestOutcome>> {
  if (ids.length === 0) return new Map();
  const { rows } = await database.query<RequestRow>({
    name: 'read-request-outcomes',
    text: `select requested.id, e.type, e.data
           from unnest($1::uuid[]) as requested (id)
           cross join lateral (
             select type, data from events where stream = 'request-' || requested.id and version = 1 limit 1) as e`,
    values: [arrayOf.uuid(ids)],
  });
  return new Map(
    rows.map(({ id, type, data }) => [
      id,
      type === 'StampRequestJoined' ? { joined: data.stampId } : { refused: refusedOf(id, data) },
    ]),
  );
}

const refusedOf = (
  id: string,
  { account, objectCid, setCid, requestedAt, refusal }: RequestRow['data'],
): StampFacts => ({
  ...{ id, account, objectCid, setCid, requestedAt, refusal },
  ...{ status: 'failed', receipt: null, hasContent: false, wasConfirmed: false },
});
