import type { Reader } from '../readers/reader.ts';
import { keyOf, surveyTable } from '../readers/survey-table.ts';
import type { Survey } from '../running/survey.ts';

type Row = {
  readonly id: string;
  readonly status: string;
  /** Seconds. */
  readonly age: number;
  readonly batch_status: string | null;
  readonly is_of_batch: boolean;
};

/** Stamps ↔ their batches; and stamps that never finish (I6). */
export const surveyStamps = ({
  reader,
  pageSize,
  overdueSeconds,
}: {
  reader: Reader;
  pageSize: number;
  overdueSeconds: number;
}): Survey =>
  surveyTable<Row>({
    reader,
    pageSize,
    of: 'stamps',
    table: 'stamping.stamps',
    keys: [{ column: 'id', type: 'uuid' }],
    // Requested and no longer waiting: in a batch that is in no block, or whose block is partly read.
    columns: `t.id, case when t.status = 'requested' and w.stamp_id is null then 'submitted' else t.status end as status,
      extract(epoch from clock_timestamp() - t.requested_at)::float8 as age,
      coalesce(b.status, carrying.status) as batch_status, coalesce(t.block_number = b.block_number and t.block_hash = b.block_hash and exists (
        select from stamping.transactions x where x.hash = t.transaction_hash and x.batch_id = b.id), false) as is_of_batch`,
    joins: `left join stamping.batches b on b.id = t.batch_id
      left join stamping.waiting_stamps w on t.status = 'requested' and w.account = t.account and w.seq = t.seq
      left join lateral (
        select status from stamping.batches
        where t.status = 'requested' and w.stamp_id is null and status = 'signed' and t.id = any(stamp_ids)
        union all select status from stamping.batches
        where t.status = 'requested' and w.stamp_id is null and status = 'included' and t.id = any(stamp_ids)
        limit 1) carrying on true`,
    judge: (rows) =>
      rows.flatMap((row) =>
        judgeStamp(row, overdueSeconds).map((one) => ({ key: keyOf(row), subject: `stamp ${row.id}`, ...one })),
      ),
  });

const inBlock: ReadonlySet<string> = new Set(['included', 'confirmed']);
const includedBatch: ReadonlySet<string> = new Set(['included', 'finalized']);

/** What each status waits for, when it takes too long. */
const waitsFor: ReadonlyMap<string, string> = new Map([
  ['requested', "does stamping run, and does a lane take new batches? Its log and the lanes' balances say"],
  [
    'submitted',
    'see the check lanes for its transaction: too low a fee, an empty lane, or an RPC endpoint that drops it',
  ],
  ['included', 'its block is not deep enough yet: see the check chain for cursors that stand'],
]);

export function judgeStamp(row: Row, overdueSeconds: number): { readonly what: string; readonly remedy: string }[] {
  const { status, age, batch_status: batch } = row;
  if (status === 'submitted' && batch === null)
    return [
      {
        what: 'does not wait for a batch, and is in none',
        remedy:
          'when its commitment is not on the chain (else it would be stamped twice), let it wait for a batch: insert into stamping.waiting_stamps select account, seq, id, reverted_batches from stamping.stamps where it is',
      },
    ];
  const wait = waitsFor.get(status);
  if (wait !== undefined && age > overdueSeconds)
    return [{ what: `is ${status}, ${Math.round(age)} s after the request`, remedy: wait }];
  if (!inBlock.has(status)) return [];
  const remedy =
    'put its row right by its batch and the receipt of the transaction (stamping.batches, stamping.transactions), then run this again';
  if (batch === null || !includedBatch.has(batch))
    return [{ what: `is ${status}, and its batch is ${batch ?? 'not known'}`, remedy }];
  return row.is_of_batch ? [] : [{ what: `is ${status} in another block or transaction than its batch`, remedy }];
}
